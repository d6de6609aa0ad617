#include "support.hpp"

#include "base/error.hpp"
#include "base/sha256.hpp"

#include <doctest/doctest.h>

namespace ptp::test {

namespace fs = std::filesystem;

std::map<std::string, bundle::Content> small_contents() {
    const std::string weights = "the weights";
    const std::string record = "format = 1\n";
    return {{"experiment.toml", {.text = "name = \"small\"\n"}},
            {"run.json", {.text = "{}\n"}},
            {"files/0_words.txt", {.text = "one\ntwo\n"}},
            {bundle::checkpoint_path("checkpoint.toml"), {.text = record}},
            {bundle::checkpoint_path("SHA256SUMS"),
             {.text = sha256(record) + "  checkpoint.toml\n" + sha256(weights) +
                      "  weights.safetensors\n"}},
            {bundle::weights_path(), {.text = weights}}};
}

bundle::BundleManifest small_manifest() {
    bundle::BundleManifest manifest;
    manifest.name = "small";
    manifest.license = "MIT";
    manifest.made_by = "ptp 1";
    manifest.lineage.run = "20260131_120000";
    manifest.lineage.seed = 3;
    manifest.plugins.push_back({"vision_models", "1.0.0", sha256("plugin"), "1.4", "", "MIT"});
    manifest.streams.push_back({"input", "images", "float", "[B, 4]", ""});
    manifest.data.push_back({"training", 48, sha256("data")});
    run::Measurement measured;
    measured.set = "validation";
    measured.loss = 0.25;
    measured.statistics = {{"accuracy", 0.5}};
    manifest.metrics.push_back(measured);
    return manifest;
}

std::string small_bundle() {
    const TempFolder folder;
    bundle::write_bundle(folder.path() / "x.ptpm", small_manifest(), small_contents());
    return folder.read("x.ptpm");
}

std::vector<TarEntry> small_entries() {
    const TempFolder folder;
    const bundle::BundleFile file(folder.write("x.ptpm", small_bundle()));
    std::vector<TarEntry> entries = {{bundle::kManifestFile, text_of(file.manifest())}};
    for (const bundle::PackedFile& packed : file.manifest().files) {
        entries.push_back({packed.path, file.read(packed.path)});
    }
    return entries;
}

std::string refusal_of(const std::string& bytes) {
    const TempFolder folder;
    const fs::path path = folder.write("x.ptpm", bytes);
    const fs::path laid_out = folder.path() / "laid_out";
    std::string text;
    try {
        const bundle::BundleFile file(path);
        file.lay_out(laid_out);
        file.check();
    } catch (const RunError& error) {
        CHECK(error.code() == kDataError);
        text = error.what();
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(folder.path())) {
        const std::string name = entry.path().filename().string();
        CHECK_MESSAGE((name == "x.ptpm" || name == "laid_out"), name);
    }
    const std::string own = folder.path().string();
    for (std::size_t at = text.find(own); at != std::string::npos; at = text.find(own)) {
        text.replace(at, own.size(), "T");
    }
    return text;
}

}  // namespace ptp::test
