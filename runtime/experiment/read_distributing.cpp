#include "experiment/read_distributing.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace ptp::experiment {

namespace {

constexpr std::array<const char*, 4> kBuffers = {"first", "mean", "own",
                                                 "synchronized"};  // indexed by the enum

constexpr const char* kUncompressed = "none";
constexpr const char* kBfloat16 = "bf16";

// The keys as written.
struct DistributedWords {
    std::string buffers;
    std::string compression;

    explicit DistributedWords(const Distributing& distributing)
        : buffers(kBuffers.at(static_cast<std::size_t>(distributing.buffers))),
          compression(distributing.is_compressed ? kBfloat16 : kUncompressed) {}

    std::vector<Field> fields(Distributing& distributing) {
        return {
            {.name = "buffers",
             .into = &buffers,
             .help = "of components, such as the means of batch normalization: those of the "
                     "first process, their mean over the samples, or each its own; synchronized: "
                     "batch normalization is over the samples of all processes",
             .choices = {kBuffers.begin(), kBuffers.end()}},
            {.name = "compression",
             .into = &compression,
             .help = "of gradients on their way to other processes: bf16 halves their bytes, and "
                     "rounds them",
             .choices = {kUncompressed, kBfloat16}},
            {.name = "sharded_optimizer",
             .into = &distributing.has_sharded_optimizer,
             .help = "each process keeps the optimizer's state of some parameters, not of all"},
            {.name = "timeout",
             .into = &distributing.timeout,
             .help =
                 "after which a process that does not answer counts as lost; to connect, at least 60 s"}};
    }

    void put_into(Distributing& distributing) const {
        const auto* const found = std::ranges::find(kBuffers, buffers);
        distributing.buffers = static_cast<SharedBuffers>(found - kBuffers.begin());
        distributing.is_compressed = compression == kBfloat16;
    }
};

}  // namespace

void read_distributing(const Scope& scope, Distributing& distributing) {
    DistributedWords words(distributing);
    read_all_fields(scope, words.fields(distributing));
    words.put_into(distributing);
}

Value tree_of(const Distributing& distributing) {
    Distributing copy = distributing;
    return write_fields(DistributedWords(distributing).fields(copy));
}

}  // namespace ptp::experiment
