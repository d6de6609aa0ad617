#include "experiment/experiment.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace read_distributing_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;

namespace {

// The example with this after it, from line 47 on.
std::string with_table(const std::string& text) {
    return kExample + ("[distributed]\n" + text);
}

}  // namespace

TEST_CASE("distributing: without a table buffers are the first process's, and gradients whole") {
    for (const std::string& text : {std::string(kExample), with_table("")}) {
        Loader loader(text);
        const Distributing distributed = loader.read().distributed;
        REQUIRE(loader.problems() == "");
        CHECK(distributed.buffers == SharedBuffers::kFirst);
        CHECK_FALSE(distributed.is_compressed);
        CHECK_FALSE(distributed.has_sharded_optimizer);
        CHECK(distributed.timeout.seconds == 60);
    }
}

TEST_CASE("distributing: all keys are read, and written as they were") {
    const std::string text = with_table(
        "buffers = \"mean\"\ncompression = \"bf16\"\nsharded_optimizer = true\n"
        "timeout = \"2m\"\n");
    Loader loader(text);
    const Experiment experiment = loader.read();
    REQUIRE(loader.problems() == "");
    CHECK(experiment.distributed.buffers == SharedBuffers::kMean);
    CHECK(experiment.distributed.is_compressed);
    CHECK(experiment.distributed.has_sharded_optimizer);
    CHECK(experiment.distributed.timeout.seconds == 120);
    const Value resolved = resolved_tree(experiment);
    const Value* tree = resolved.find("distributed");
    REQUIRE(tree != nullptr);
    CHECK(*tree->find("buffers") == Value("mean"));
    CHECK(*tree->find("compression") == Value("bf16"));
    CHECK(*tree->find("sharded_optimizer") == Value(true));
    CHECK(*tree->find("timeout") == Value("2m"));
}

TEST_CASE("distributing: what is unknown is refused") {
    Loader loader(with_table("buffers = \"all\"\ntimeout = \"0s\"\nnodes = 2\n"));
    static_cast<void>(loader.read());
    CHECK(
        loader.problems() ==
        "x.toml:48:11: distributed.buffers = \"all\": must be one of first, mean, own, synchronized\n"
        "x.toml:49:11: distributed.timeout = \"0s\": must be a span of time such as \"90m\" or "
        "\"1h30m\" (d, h, m, s)\n"
        "x.toml:50:1: distributed.nodes: unknown key; known: buffers, compression, "
        "sharded_optimizer, timeout");
}

}  // namespace read_distributing_test
