// A bundle: a trained model in one file, a tar archive whose first file is its manifest and whose
// last has the weights. Nothing in it is trusted. It can be used as the folder of a run, without
// history. Builds of plugins, which may be in it, stay there: see write_builds().
#pragma once

#include "base/tar.hpp"
#include "base/temporary_path.hpp"
#include "bundle/manifest.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::bundle {

// The files of a run, of its checkpoint and the samples, which are read as a whole, have at most
// this size. Those of components are copied, and the weights are mapped.
inline constexpr std::uint64_t kMaxTextBytes = std::uint64_t{64} << 20U;

// The source of one file of a bundle: a text, or a file.
struct Content {
    std::string text = {};
    std::filesystem::path file = {};  // empty: the text
};

// Writes a bundle over `file`, which is complete or unchanged afterwards. `contents` has a content
// for each path of the bundle; the manifest's list of files is made of them, with the weights last.
// Equal contents become equal bytes. Throws RunError.
void write_bundle(const std::filesystem::path& file, BundleManifest manifest,
                  const std::map<std::string, Content>& contents);

class BundleFile {
public:
    // Reads the manifest, and the headers of all files: what is in them is not read. Throws
    // RunError with kDataError and a message that begins with the path if anything is not as
    // write_bundle() writes it.
    explicit BundleFile(std::filesystem::path path);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] const BundleManifest& manifest() const { return manifest_; }
    // Returns the text of the manifest as in the file.
    [[nodiscard]] const std::string& manifest_text() const { return manifest_text_; }
    [[nodiscard]] bool has(std::string_view file) const;

    // Returns the content of a file of the manifest, after comparing its hash. Throws RunError.
    [[nodiscard]] std::string read(std::string_view file) const;

    // Compares all hashes, also those of the weights. Throws RunError with kDataError.
    void check() const;

    // Writes all files but the weights, the builds of plugins and those for other programs into a
    // folder, which is then like that of a run; the weights are a link to the bundle. Throws
    // RunError, also for an experiment that names other files or folders of experiments or plugins.
    void lay_out(const std::filesystem::path& folder) const;

    // Writes the builds of plugins, which are code, into a folder: NAME.so, with what travels with
    // it. The caller has checked who signed this manifest. Throws RunError.
    void write_builds(const std::filesystem::path& folder) const;

private:
    using Take = std::function<void(std::string_view)>;

    // Calls take(piece) for a file's content, and compares its hash at the end.
    void read_pieces(const PackedFile& file, const Take& take) const;
    void write(const PackedFile& file, const std::filesystem::path& place) const;
    [[noreturn]] void damaged(const std::string& why) const;
    void check_layout() const;
    void check_experiment() const;
    [[nodiscard]] const ArchivedFile& member(std::string_view file) const;

    std::filesystem::path path_;
    std::vector<ArchivedFile> members_;
    std::string manifest_text_;
    BundleManifest manifest_;
};

// A bundle that is used as the folder of a run, while this exists in the process that made it: one
// that is forked of it leaves the folder.
class OpenedBundle {
public:
    // Throws RunError as BundleFile does.
    explicit OpenedBundle(const std::filesystem::path& path);
    ~OpenedBundle();
    OpenedBundle(const OpenedBundle&) = delete;
    OpenedBundle& operator=(const OpenedBundle&) = delete;

    [[nodiscard]] const BundleFile& file() const { return file_; }
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

private:
    BundleFile file_;
    TemporaryPath folder_;
    const int process_;
};

// Returns whether a folder is one that lay_out() has written.
bool is_laid_out(const std::filesystem::path& folder);

// Returns the text with the paths of bundles in place of the temporary folders that they are laid
// out in.
std::string with_bundles_named(std::string text);

// Removes the stored samples of such a folder: the model is not tested. Throws RunError.
void leave_out_samples(const std::filesystem::path& folder);

// The bundle whose files are in a folder of lay_out().
struct LaidOutBundle {
    std::filesystem::path file;
    BundleManifest manifest;
};

// Returns nullopt for any other folder. Throws RunError.
std::optional<LaidOutBundle> laid_out_bundle(const std::filesystem::path& folder);

}  // namespace ptp::bundle
