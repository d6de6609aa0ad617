// The format of torch.save() since PyTorch 1.6: a zip archive with one folder that has a pickle,
// `data.pkl`, and the memory of the tensors, `data/KEY`; see caffe2/serialize/inline_container.h.

#include "engine/pretrained/torch_file.hpp"
#include "engine/pretrained/torch_pickle.hpp"

#include <ATen/ops/empty.h>
#include <fmt/core.h>
#include <zip.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace ptp::engine {

namespace {

// A reader of zip archives: entries by name. Throws PickleError. The checksums of read entries are
// verified.
class ZipFile {
public:
    explicit ZipFile(const std::filesystem::path& path) {
        int code = 0;
        archive_.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
        if (archive_ == nullptr) {
            zip_error_t error;
            zip_error_init_with_code(&error, code);
            const std::string reason = zip_error_strerror(&error);
            zip_error_fini(&error);
            throw PickleError("is damaged or not whole: " + reason);
        }
        const std::uint64_t file_size = std::filesystem::file_size(path);
        const auto count = static_cast<std::uint64_t>(zip_get_num_entries(archive_.get(), 0));
        constexpr zip_uint64_t kNeeded =
            ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
        for (std::uint64_t i = 0; i < count; ++i) {
            zip_stat_t found;
            if (zip_stat_index(archive_.get(), i, 0, &found) != 0 ||
                (found.valid & kNeeded) != kNeeded) {
                throw PickleError("is damaged: its list of entries cannot be read");
            }
            const bool is_plain = found.comp_method == ZIP_CM_STORE;
            if (is_plain && (found.size != found.comp_size || found.size > file_size)) {
                throw PickleError(
                    fmt::format("is damaged: '{}' has an impossible size", found.name));
            }
            if (!entries_.emplace(found.name, Entry{i, found.size, is_plain}).second) {
                throw PickleError(fmt::format("is damaged: '{}' is in it twice", found.name));
            }
        }
    }

    struct Entry {
        std::uint64_t number;
        std::uint64_t size;  // in bytes
        bool is_plain;       // not compressed: its size is at most the file's
    };
    [[nodiscard]] const std::map<std::string, Entry>& entries() const { return entries_; }

    // Reads a whole entry into memory that is large enough. Compressed ones are refused: PyTorch
    // does not compress tensors.
    void read(const Entry& entry, void* to) const {
        if (!entry.is_plain) {
            throw PickleError("what is in it is compressed, which PyTorch never does");
        }
        zip_file_t* file = zip_fopen_index(archive_.get(), entry.number, 0);
        if (file == nullptr) {
            throw PickleError(fmt::format("is damaged: {}", zip_strerror(archive_.get())));
        }
        std::uint64_t done = 0;
        zip_int64_t count = 0;
        while (done < entry.size &&
               (count = zip_fread(file, static_cast<char*>(to) + done, entry.size - done)) > 0) {
            done += static_cast<std::uint64_t>(count);
        }
        // The checksum is compared when the end is read.
        char beyond = 0;
        const bool is_whole = done == entry.size && zip_fread(file, &beyond, 1) == 0;
        const std::string reason = zip_file_strerror(file);
        zip_fclose(file);
        if (!is_whole) {
            throw PickleError("is damaged: " + reason);
        }
    }

private:
    struct Discard {
        void operator()(zip* archive) const { zip_discard(archive); }
    };

    std::unique_ptr<zip, Discard> archive_;
    std::map<std::string, Entry> entries_;
};

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
            throw PickleError("its data.pkl is larger than a description of tensors");
        }
        const std::string bytes = text(entry);
        const Pickle pickle(bytes, torch_globals());
        return torch_tensors(pickle.root(), [this](const auto& wanted) { return memory(wanted); });
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
        throw PickleError(
            "is a zip archive, but not one that torch.save() wrote: it has no data.pkl");
    }

    void check_kind() const {
        if (zip_.entries().contains(folder_ + "constants.pkl")) {
            throw PickleError(
                fmt::format("holds a TorchScript program, which is not run: in Python, "
                            "torch.save(torch.jit.load(\"{}\").state_dict(), \"weights.pth\") "
                            "writes its weights alone",
                            path_.filename().string()));
        }
        const auto order = zip_.entries().find(folder_ + "byteorder");
        if (order != zip_.entries().end() &&
            (order->second.size != 6 || text(order->second) != "little")) {
            throw PickleError("was written by a machine with another order of bytes");
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
