// A request of a program to read the data of an experiment, through a symbol of libptp-engine.so.

#pragma once

#include "engine/request.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ptp::engine {

// The most different values of a stream that are counted one by one.
inline constexpr std::size_t kMaxCountedValues = 1000;

// The samples of the training that are shown in several versions.
inline constexpr std::uint64_t kSamplesWithVersions = 8;

struct ValueCount {
    std::string value;  // a text, or an integer in digits
    std::uint64_t count = 0;
};

// The finite numbers of a stream, or of one channel of its images; or the lengths of texts.
struct Spread {
    std::uint64_t count = 0;
    double min = std::numeric_limits<double>::infinity();
    double max = -std::numeric_limits<double>::infinity();
    double mean = 0;
    double squares = 0;  // sum of the squared distances from the mean

    [[nodiscard]] double deviation() const {
        return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count));
    }
    void add(const Spread& other);
};

struct StreamFacts {
    std::string name;
    std::string port;            // of the task: "targets"
    bool are_targets = false;    // by the purpose of the port
    std::string type;            // "float32", "string"
    std::string shape;           // of one sample: "[3, 32, 32]", "[5 to 9]"; "" for texts
    bool is_text = false;        // then the spread is that of the lengths: characters, or tokens
    bool has_one_value = false;  // per sample, so that `values` count samples
    Spread spread;
    std::uint64_t not_finite = 0;
    std::vector<Spread> channels = {};  // of images with several
    // In the order of numbers or texts; empty for reals, and if there are more than
    // kMaxCountedValues.
    std::vector<ValueCount> values = {};
    bool has_many_values = false;
};

// A value of a stream for one sample: a text, or numbers.
struct ShownValue {
    std::string text;
    std::vector<std::int64_t> sizes = {};
    std::vector<float> numbers = {};  // empty for texts, and for tensors of more than a MiB
};

struct ShownSample {
    std::int64_t index = 0;
    std::vector<ShownValue> values = {};  // as SectionFacts::streams
};

// A stream of the task, or of a transform that treats each sample by itself.
struct StreamVersions {
    StreamFacts stream;                   // name and type
    std::vector<ShownValue> values = {};  // those of the first sample in all epochs, then the next
};

// Some samples as the first epochs of the training get them: the versions that augmentations make.
struct SampleVersions {
    std::vector<std::int64_t> indices = {};
    std::uint64_t epochs = 0;
    std::vector<StreamVersions> streams = {};  // in the order in which they are made
};

// The content of a sample's hashed streams.
struct SampleHash {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    auto operator<=>(const SampleHash&) const = default;
};

struct BrokenSample {
    std::int64_t index = 0;
    std::string error;
};

struct SectionFacts {
    std::string name;
    std::string task;           // "FashionMNIST, vision_tasks 0.1.0"
    std::uint64_t samples = 0;  // that the section may draw
    std::uint64_t batch_size = 0;
    std::uint64_t read = 0;                  // without the broken ones
    std::string error = {};                  // why the task could not be created; "" if it could
    int exit_code = 0;                       // for that error
    std::vector<StreamFacts> streams = {};   // in the order of the task's ports
    std::vector<std::int64_t> indices = {};  // of the samples that were read
    std::vector<SampleHash> hashes = {};     // as `indices`
    std::vector<BrokenSample> broken = {};
    std::vector<ShownSample> shown = {};
    std::vector<std::string> class_names = {};  // of the targets, by number
    SampleVersions versions = {};               // of the training, if they are asked for
};

// Reads samples in evaluation, each once, as the tasks deliver them, and trains nothing. Versions
// are read as in training.
struct DataRequest {
    const experiment::Experiment& experiment;
    const pipeline::Plan& plan;              // the experiment's
    std::vector<std::string> sections = {};  // empty: all of the plan
    std::vector<std::string> hashed = {};    // streams that make two samples equal
    std::uint64_t limit = 0;                 // read evenly spaced samples, at most N; 0: all
    std::uint64_t shown = 0;                 // samples of each section, evenly spaced
    std::uint64_t versions = 0;              // of samples of the training, one for each epoch
    std::vector<SectionFacts>& found;        // filled in
};

// [main], once in a process.
using DataFunction = void (*)(const DataRequest& request, RunResult& result) noexcept;

inline constexpr const char* kDataSymbol = "ptp_engine_data";  // is a DataFunction

}  // namespace ptp::engine
