// The format of torch.save() before PyTorch 1.6, and with _use_new_zipfile_serialization=False:
// five pickles (a magic number, a protocol, the machine, the value, keys of storages), then for
// each key the number of elements and their bytes; see _legacy_load() in torch/serialization.py.

#include "engine/pretrained/torch_file.hpp"
#include "engine/pretrained/torch_pickle.hpp"

#include <ATen/ops/empty.h>
#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <utility>

namespace ptp::engine {

namespace {

constexpr std::uint64_t kMaxPickles = 16U << 20U;
constexpr std::string_view kMagic = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
constexpr std::int64_t kProtocol = 1001;

class LegacyReader {
public:
    explicit LegacyReader(const std::filesystem::path& path)
        : size_(std::filesystem::file_size(path)), in_(path, std::ios::binary) {
        head_.resize(std::min(size_, kMaxPickles));
        in_.read(head_.data(), static_cast<std::streamsize>(head_.size()));
        if (!in_) {
            throw PickleError("cannot be read");
        }
    }

    SavedWeights read() {
        check_head();
        const Pickle value = next();
        const Pickle keys = next();
        read_storages(value, keys);
        return torch_tensors(value.root(),
                             [this](const auto& wanted) { return memories_.at(wanted.key); });
    }

private:
    Pickle next() {
        Pickle pickle(std::string_view(head_).substr(position_), torch_globals());
        position_ += pickle.size();
        return pickle;
    }

    void check_head() {
        const Pickle magic = next();
        const Pickle protocol = next();
        const Pickle machine = next();
        if (magic.root().text != kMagic || protocol.root().integer != kProtocol ||
            machine.root().kind != PickleKind::kDict) {
            throw PickleError("is not a file that torch.save() wrote");
        }
        const auto& items = machine.root().items;
        for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
            if (items[i]->text == "little_endian" && items[i + 1]->integer == 0) {
                throw PickleError("was written by a machine with another order of bytes");
            }
        }
    }

    // Returns the storages of the value, by their keys.
    static std::map<std::string, TorchStorage> described(const Pickle& value) {
        std::map<std::string, TorchStorage> storages;
        for (const PickleValue* outside : value.outside()) {
            TorchStorage storage = torch_storage(*outside);
            const auto [place, is_new] = storages.emplace(storage.key, storage);
            if (!is_new &&
                (place->second.type != storage.type || place->second.count != storage.count)) {
                throw PickleError(fmt::format("is damaged: '{}' is described twice", storage.key));
            }
        }
        return storages;
    }

    void read_storages(const Pickle& value, const Pickle& keys) {
        const std::map<std::string, TorchStorage> storages = described(value);
        if (keys.root().kind != PickleKind::kList || keys.root().items.size() != storages.size()) {
            throw PickleError("is damaged: it has the memory of other tensors than it describes");
        }
        in_.seekg(static_cast<std::streamoff>(position_));
        std::uint64_t left = size_ - position_;
        for (const PickleValue* key : keys.root().items) {
            const auto storage = storages.find(key->text);
            if (storage == storages.end() || memories_.contains(key->text)) {
                throw PickleError(
                    "is damaged: it has the memory of other tensors than it describes");
            }
            read_storage(storage->second, left);
        }
    }

    void read_storage(const TorchStorage& storage, std::uint64_t& left) {
        std::int64_t count = 0;
        const std::uint64_t taken = sizeof(count) + storage.byte_count();
        if (left < taken) {
            throw PickleError("ends too early");
        }
        left -= taken;
        in_.read(reinterpret_cast<char*>(&count), sizeof(count));
        if (count != storage.count) {
            throw PickleError(
                fmt::format("is damaged: '{}' is missing or has another size", storage.key));
        }
        at::Tensor made = at::empty({count}, at::TensorOptions(storage.type));
        in_.read(static_cast<char*>(made.data_ptr()),
                 static_cast<std::streamsize>(storage.byte_count()));
        if (!in_) {
            throw PickleError("cannot be read to its end");
        }
        memories_.emplace(storage.key, std::move(made));
    }

    std::uint64_t size_;
    std::ifstream in_;
    std::string head_;  // the part with the pickles
    std::size_t position_ = 0;
    std::map<std::string, at::Tensor> memories_;
};

}  // namespace

SavedWeights read_torch_legacy(const std::filesystem::path& path) {
    return LegacyReader(path).read();
}

}  // namespace ptp::engine
