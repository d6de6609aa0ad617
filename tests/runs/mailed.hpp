// A bundle with a plugin that does not come with ptp, its author, and who gets it.
#pragma once

#include "bundle/bundle.hpp"
#include "runs/bundled.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ptp::test {

using Contents = std::map<std::string, bundle::Content>;

// Somebody who gets a bundle, and has ptp and no other plugins and keys; the author's run and
// plugins are there as long as nobody removes them.
class Mailed {
public:
    using Words = std::vector<std::string>;

    static constexpr const char* kBuild = "plugins/accompanied.so";  // in the bundle

    // Trains with the plugin, and bundles the run.
    Mailed() : plugins_(path() / "built") {
        std::filesystem::copy(build_dir() / "tests/runs/accompanied", plugins_,
                              std::filesystem::copy_options::recursive);
        std::filesystem::create_directories(path() / "tmp");
        folder_.write({.pipeline = kPipeline, .source = "more"});
        require_success(folder_.run("run", {"--plugins", plugins_.string(), "--quiet"}));
        CHECK(author({"bundle", run(), "-o", model(), "--with-plugins"})
                  .ends_with(", with the plugin accompanied\n"));
        CHECK(pack({"key", "new", key("jane")}).find("T/jane.pub") != std::string::npos);
    }

    [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
    [[nodiscard]] const std::filesystem::path& plugins() const { return plugins_; }
    [[nodiscard]] std::string run() const { return folder_.run_folder("run"); }
    [[nodiscard]] std::string model() const { return (path() / "model.ptpm").string(); }
    [[nodiscard]] std::string key(const std::string& name) const {
        return (path() / name).string();
    }

    // The output of the author, whose ptp finds what was built.
    std::string author(const Words& words) const {
        const ProcessResult result = run_program("ptprun", words, {{"OMP_NUM_THREADS", "1"}});
        require_success(result);
        return result.output;
    }

    ProcessResult recipient(const std::string& program, const Words& words) const {
        const std::string home = (path() / "home").string();
        ProcessResult result = run_program(program, words,
                                           {{"HOME", home},
                                            {"XDG_DATA_HOME", home + "/data"},
                                            {"XDG_CONFIG_HOME", home + "/config"},
                                            {"XDG_STATE_HOME", home + "/state"},
                                            {"TMPDIR", (path() / "tmp").string()},
                                            {"OMP_NUM_THREADS", "1"}});
        CHECK(std::filesystem::is_empty(path() / "tmp"));  // what was unpacked is gone
        result.errors = shown(result.errors);
        return result;
    }

    // What ptp-pack prints.
    std::string pack(const Words& words) const {
        const ProcessResult result = recipient("ptp-pack", words);
        return shown(result.output) + result.errors;
    }

    void sign(const std::string& name = "jane") const {
        const std::string text = pack({"sign", model(), "--key", key(name + ".key")});
        CHECK(std::filesystem::exists(model() + ".minisig"));
        CHECK_MESSAGE(text.find("error") == std::string::npos, text);
    }
    void trust(const std::string& name = "jane") const {
        const std::string text = pack({"key", "trust", key(name + ".pub")});
        CHECK_MESSAGE(text.find("error") == std::string::npos, text);
    }

    ProcessResult predict(const Words& more = {}) const {
        Words words = {"predict", model(), "--data", "test", "--quiet"};
        words.insert(words.end(), more.begin(), more.end());
        return recipient("ptprun", words);
    }

    void hide_author() const {
        std::filesystem::rename(run(), path() / "hidden_run");
        std::filesystem::rename(plugins_, path() / "hidden_plugins");
    }

    // Writes the bundle anew, with all hashes as they must be.
    void rewrite(const std::function<void(Contents&, bundle::BundleManifest&)>& change) const {
        const bundle::BundleFile file(model());
        bundle::BundleManifest manifest = file.manifest();
        Contents contents;
        for (const bundle::PackedFile& packed : manifest.files) {
            contents[packed.path] = {.text = file.read(packed.path)};
        }
        change(contents, manifest);
        write_bundle(model(), manifest, contents);
    }

    // Puts a file in place of the build, as the one that trained the model.
    void replace_build(const std::string& content) const {
        rewrite([&](Contents& contents, bundle::BundleManifest& manifest) {
            contents[kBuild] = {.text = content};
            for (bundle::NeededPlugin& plugin : manifest.plugins) {
                plugin.sha256 = plugin.name == "accompanied" ? std::string(64, 'a') : plugin.sha256;
            }
        });
    }

    // Errors with the test's folder as T, and hashes of keys as K.
    [[nodiscard]] std::string shown(std::string text) const {
        const auto replace = [&](const std::string& from, const std::string& to) {
            for (std::size_t at = text.find(from); at != text.npos; at = text.find(from)) {
                text.replace(at, from.size(), to);
            }
        };
        replace(path().string(), "T");
        for (std::size_t at = text.find("the key "); at != text.npos;
             at = text.find("the key ", at + 1)) {
            const std::size_t begin = at + std::string("the key ").size();
            if (text.find_first_not_of("0123456789ABCDEF", begin) == begin + 16) {
                text.replace(begin, 16, "K");
            }
        }
        return text;
    }

private:
    static constexpr const char* kPipeline =
        "[pipeline.more]\ntype = \"Accompanied\"\n"
        "streams = { inputs = \"features\", outputs = \"more\" }\n";

    ExperimentFolder folder_;
    std::filesystem::path plugins_;
};

}  // namespace ptp::test
