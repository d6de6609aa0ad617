// The format of torch.save() since PyTorch 1.6: a zip archive with one folder that has a pickle,
// `data.pkl`, and the memory of the tensors, `data/KEY`; see caffe2/serialize/inline_container.h.

#include "base/error.hpp"
#include "engine/pretrained/torch_file.hpp"
#include "engine/pretrained/torch_pickle.hpp"
#include "engine/pretrained/zip_file.hpp"

#include <ATen/ops/empty.h>
#include <fmt/core.h>

#include <map>
#include <utility>

namespace ptp::engine {

namespace {

constexpr std::uint64_t kMaxPickle = 64U << 20U;

class ZipReader {
public:
    explicit ZipReader(const std::filesystem::path& path)
        : path_(path), zip_(path), room_(std::filesystem::file_size(path)) {}

    SavedWeights read() {
        folder_ = find_folder();
        check_kind();
        const ZipFile::Entry& entry = zip_.entries().at(folder_ + "data.pkl");
        if (entry.size > kMaxPickle) {
            zip_.refuse("its data.pkl is larger than a description of tensors");
        }
        const std::string bytes = text(entry);
        try {
            const Pickle pickle(bytes, torch_globals());
            TorchTensors made =
                torch_tensors(pickle.root(), [this](const auto& wanted) { return memory(wanted); });
            return {std::move(made.tensors), std::move(made.others), true};
        } catch (const PickleError& error) {
            zip_.refuse(error.what());
        }
    }

private:
    // Returns "archive/".
    [[nodiscard]] std::string find_folder() const {
        for (const auto& [name, entry] : zip_.entries()) {
            const std::size_t slash = name.find('/');
            if (slash != std::string::npos && name.substr(slash) == "/data.pkl") {
                return name.substr(0, slash + 1);
            }
        }
        zip_.refuse("is a zip archive, but not one that torch.save() wrote: it has no data.pkl");
    }

    void check_kind() const {
        if (zip_.entries().contains(folder_ + "constants.pkl")) {
            zip_.refuse(
                fmt::format("holds a TorchScript program, which is not run: in Python, "
                            "torch.save(torch.jit.load(\"{}\").state_dict(), \"weights.pth\") "
                            "writes its weights alone",
                            path_.filename().string()));
        }
        const auto order = zip_.entries().find(folder_ + "byteorder");
        if (order != zip_.entries().end() &&
            (order->second.size != 6 || text(order->second) != "little")) {
            zip_.refuse("was written by a machine with another order of bytes");
        }
    }

    [[nodiscard]] std::string text(const ZipFile::Entry& entry) const {
        std::string bytes(entry.size, '\0');
        zip_.read(entry, bytes.data());
        return bytes;
    }

    at::Tensor memory(const TorchStorage& wanted) {
        const auto known = memories_.find(wanted.key);
        if (known != memories_.end()) {
            if (known->second.scalar_type() != wanted.type ||
                known->second.numel() != wanted.count) {
                throw PickleError(fmt::format("is damaged: '{}' is described twice", wanted.key));
            }
            return known->second;
        }
        const auto entry = zip_.entries().find(folder_ + "data/" + wanted.key);
        if (entry == zip_.entries().end() || entry->second.size != wanted.byte_count()) {
            throw PickleError(
                fmt::format("is damaged: '{}' is missing or has another size", wanted.key));
        }
        // Overlapping entries would take more memory than the file has bytes.
        if (entry->second.size > room_) {
            throw PickleError("is damaged: its entries are larger than the file");
        }
        room_ -= entry->second.size;
        at::Tensor made = at::empty({wanted.count}, at::TensorOptions(wanted.type));
        zip_.read(entry->second, made.data_ptr());
        memories_.emplace(wanted.key, made);
        return made;
    }

    const std::filesystem::path& path_;
    ZipFile zip_;
    std::uint64_t room_;
    std::string folder_;
    std::map<std::string, at::Tensor> memories_;
};

}  // namespace

SavedWeights read_torch_zip(const std::filesystem::path& path) {
    return ZipReader(path).read();
}

}  // namespace ptp::engine
