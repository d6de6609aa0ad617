// The lineage of a model: its training, and the models with whose weights that began, through any
// number of generations. A model is known by the SHA-256 of its weights.
#pragma once

#include "base/value.hpp"
#include "schema/fields.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::bundle {

// Readers refuse unknown keys. Format 2 added task_samples, epoch_samples and no_sha256 of data.
inline constexpr std::int64_t kLineageFormat = 2;
inline constexpr std::size_t kMaxAncestors = 1000;
inline constexpr std::size_t kMaxListed = 1000;      // parents, and sections of data, of a model
inline constexpr std::size_t kMaxLineageText = 300;  // bytes
inline constexpr const char* kParentTables = "parents";
inline constexpr const char* kAncestorTables = "ancestors";
inline constexpr const char* kAncestorData = "data";

// The data of a section when it was trained.
struct BundledData {
    std::string section;
    std::int64_t samples = 0;    // those that its sampler may draw
    std::string sha256;          // of its task's file, or of a list of several; "": absent
    std::string no_sha256 = {};  // why it is absent; "" in older bundles
    std::optional<std::int64_t> task_samples = {};   // all of its task; absent: `samples`
    std::optional<std::int64_t> epoch_samples = {};  // of one pass; absent: `samples`

    std::vector<schema::Field> fields();
    friend bool operator==(const BundledData&, const BundledData&) = default;
};

// A model with whose weights a training began.
struct Parent {
    std::string weights_sha256;
    std::string component;  // that began with them, "pipeline.net"; "": the whole pipeline

    std::vector<schema::Field> fields();
    friend bool operator==(const Parent&, const Parent&) = default;
};

// A training, without the machine's user, its processes and its folders.
struct Lineage {
    std::string run;                // the name of its folder
    std::string experiment_sha256;  // of experiment.toml as the run began
    std::string commit;             // of the git repository with the experiment; "": none
    bool is_clean = true;           // no file of the repository differed from the commit
    std::int64_t seed = 0;
    std::int64_t epoch = 0;    // of the weights
    std::int64_t episode = 0;  // the same
    std::vector<Parent> parents = {};

    std::vector<schema::Field> fields();  // all but the parents
    void read(const schema::Scope& scope);
    friend bool operator==(const Lineage&, const Lineage&) = default;
};

// A model among the parents, their parents, and so on.
struct Ancestor {
    std::string weights_sha256;
    std::string name;           // of its file, or of the folder of its run
    std::string bundle_sha256;  // of its file, if that is a bundle
    Lineage training = {};      // without a run: it is a file with weights alone
    std::vector<BundledData> data = {};

    std::vector<schema::Field> fields();  // all but the data and the parents
    void read(const schema::Scope& scope);
    friend bool operator==(const Ancestor&, const Ancestor&) = default;
};

Value value_of(BundledData data);
Value value_of(Lineage lineage);
Value value_of(Ancestor ancestor);

// Returns the models, each once, each before its parents, and at most kMaxAncestors. Of several
// with the same weights the first counts.
std::vector<Ancestor> in_order(std::vector<Ancestor> ancestors);

// Returns the first format that has all keys of these data: what needs no newer one, older readers
// can read.
std::int64_t format_of(const std::vector<BundledData>& data,
                       const std::vector<Ancestor>& ancestors);

// Returns a text from outside, such as a file's name, as a lineage may have it: harmless, in one
// line of at most kMaxLineageText.
std::string lineage_text(std::string_view text);

// Reports texts, hashes and numbers of tables that no lineage has, and ancestors that are not
// in_order().
void check_lineage(const Lineage& lineage, const std::vector<BundledData>& data,
                   const std::vector<Ancestor>& ancestors, const schema::Scope& scope);

// A line about an ancestor or its data.
struct LineageLine {
    std::size_t depth = 0;  // 0: a parent; at most 20
    std::string text;       // "kinds.ptpm: run 20260131_120000, epoch 3, seed 1, weights 01234..."
};

// Returns the tree of the ancestors. What is above already is named there alone.
std::vector<LineageLine> lineage_lines(const Lineage& lineage,
                                       const std::vector<Ancestor>& ancestors);

// Returns "20260131_120000, epoch 3, seed 1, commit 012345 with changes".
std::string training_text(const Lineage& lineage);

// Returns "training: 40 of 48 samples, 10 in an epoch".
std::string samples_text(const BundledData& data);

// Returns "training: 48 samples, sha256 0123456789abcdef".
std::string data_text(const BundledData& data);

// Returns "sha256 0123456789abcdef"; "" without digits.
std::string sha256_text(const std::string& digits);

}  // namespace ptp::bundle
