// The manifest of a bundle, a package with a trained model (.ptpm): what it holds and where that
// comes from. docs/using-a-model.md describes the keys.
#pragma once

#include "bundle/lineage.hpp"
#include "bundle/packed_file.hpp"
#include "experiment/weights_file.hpp"
#include "run/measurement.hpp"
#include "run/paths.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::bundle {

inline constexpr std::int64_t kBundleFormat = 2;  // that of its lineage
inline constexpr const char* kModelKind = "model";
inline constexpr const char* kBundleEnding = ".ptpm";

// The files of a bundle besides those of a run's folder, under whose names it has the others.
inline constexpr const char* kCardFile = "README.md";
inline constexpr const char* kSamplesFile = "samples.safetensors";  // of the self-test
inline constexpr const char* kOnnxFile = "model.onnx";              // what ptprun export writes
inline constexpr const char* kFilesFolder = "files";                // that components read

// The folder of builds of plugins, which are there on demand: NAME.so, and what travels with it in
// NAME.libraries and NAME.data. They are used only where a trusted key has signed the bundle.
inline constexpr const char* kBuildsFolder = run::kPluginsFolder;

// The manifest in a folder that a bundle was laid out in, a name that no bundle's file has.
inline constexpr const char* kLaidOutManifest = "laid_out_bundle.toml";

// A plugin that the model needs, as the build that trained it.
struct NeededPlugin {
    std::string name;
    std::string version;
    std::string sha256;    // of its build, as in plugins.lock
    std::string abi;       // "1.4"
    std::string libtorch;  // of its build; "": without libtorch
    std::string license;

    std::vector<schema::Field> fields();
    friend bool operator==(const NeededPlugin&, const NeededPlugin&) = default;
};

// A stream that a program provides, or reads.
struct BundledStream {
    std::string direction;  // "input" or "output"
    std::string name;
    std::string element;  // "float", "integer", "string", ...
    std::string shape;    // "[B, 784]"; "" if it is not declared
    std::string meaning;  // (optional) "scores of classes"

    std::vector<schema::Field> fields();
    friend bool operator==(const BundledStream&, const BundledStream&) = default;
};

// The samples that the model is tested with before it is used.
struct StoredSamples {
    std::int64_t count = 0;
    std::string section;   // that they are from
    double tolerance = 0;  // relative to the largest number of an output, but at least to 1

    std::vector<schema::Field> fields();
    friend bool operator==(const StoredSamples&, const StoredSamples&) = default;
};

struct BundleManifest {
    std::int64_t format = kBundleFormat;
    std::string kind = kModelKind;
    std::string name;  // of the experiment
    std::string license;
    std::string author;
    std::string summary;
    std::string made_by;                       // "ptp 0.9.0"
    std::string libtorch;                      // "1.13.1": of the ptp that trained it
    std::vector<std::string> parameters = {};  // keys below [pipeline] that a user may set
    Lineage lineage = {};
    std::vector<run::Measurement> metrics = {};  // the best one, and those of other sets
    std::vector<NeededPlugin> plugins = {};
    std::vector<BundledStream> streams = {};
    std::vector<BundledData> data = {};
    std::vector<Ancestor> ancestors = {};
    std::optional<StoredSamples> samples = {};  // where kSamplesFile is there
    std::vector<PackedFile> files = {};         // all but the manifest, in the order of the archive

    std::vector<schema::Field> fields();
};

// Throws RunError with kDataError and all that is wrong, with places in `name`.
BundleManifest read_bundle_manifest(std::string_view text, const std::string& name);

// Returns the table of a manifest, and its text. Equal manifests have equal texts.
Value value_of(BundleManifest manifest);
std::string text_of(const BundleManifest& manifest);

// Returns the path of a plugin's build in a bundle, and whether it is there.
std::string build_path(std::string_view plugin);
bool has_build(const BundleManifest& manifest, std::string_view plugin);

// Returns whether the path of a file is one of a build, or of what travels with one.
bool is_in_builds(std::string_view path);

// Returns the path of the weights in a bundle, and that of another file of its checkpoint.
std::string weights_path();
std::string checkpoint_path(std::string_view file);

}  // namespace ptp::bundle
