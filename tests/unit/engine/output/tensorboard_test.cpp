// What the sink writes is read back by a Python program that knows the format from elsewhere.

#include "engine/output/tensorboard.hpp"

#include "support/engine_plan.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <ptp/ext/parameters.h>

#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace tensorboard_test {

using ptp::Value;
using namespace ptp::engine;
using ptp::plugin::Element;

namespace {

at::Tensor weight;  // a functions' table cannot carry anything along

const void* extension(const char* id) {
    static const ptp_parameters parameters = {
        sizeof(ptp_parameters), [](void*, ptp_visit visit, void* user) -> ptp_status {
            return visit(user, "weight", PTP_PARAMETER, reinterpret_cast<ptp_value*>(&weight));
        }};
    return std::string_view(id) == PTP_EXTENSION_PARAMETERS ? &parameters : nullptr;
}

bool has_python() {
    return std::system("python3 -c '' 2>/dev/null") == 0;
}

std::string output_of(const std::string& command) {
    std::FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string output;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
        output += static_cast<char>(c);
    }
    REQUIRE(pclose(pipe) == 0);
    return output;
}

std::vector<Column> make_columns() {
    std::vector<Column> columns(3);
    columns[0].name = "loss";
    columns[1].name = "support";
    columns[1].is_shown = false;
    columns[2].name = "f1";
    columns[2].is_set_only = true;
    return columns;
}

// A task that gives images to the model `net`, which has one weight.
struct Board {
    Board() {
        plan.add_stream("images", Element::kByte, {-1, 1, 1, 2});
        plan.add_stream("scores", Element::kFloating, {-1});
        plan.add_task(ptp::test::idle_component(), {{"images", 0}});
        ptp_component_info info = ptp::test::idle_component();
        info.extension = extension;
        weight = at::tensor({1.0F, -2.0F});
        plan.add_node("net", ptp::plugin::Kind::kModel, info, {{"images", 0}}, {{"scores", 1}});
        plan.plan.streams[0].producer = -1;
        plan.plan.streams[1].producer = 0;
        components = plan.create();
    }

    TensorBoard sink(const ptp::experiment::TensorBoard& settings) const {
        return {folder.path(), settings, [] { return 1.5; }};
    }
    ptp::engine::RunInfo facts(std::uint64_t first_episode = 0) const {
        return {"x", folder.path(), 1, "cpu", "a = 1\nb = 2\n", plan.plan, columns, first_episode};
    }
    std::string read() const {
        return output_of(
            "python3 '" +
            (ptp::test::source_dir() / "tests/unit/engine/output/read_events.py").string() + "' '" +
            folder.path().string() + "'");
    }

    ptp::test::TempFolder folder;
    ptp::test::EnginePlan plan;
    ptp::engine::Components components;
    std::vector<Column> columns = make_columns();
};

ptp::engine::EpisodeRow row(std::uint64_t episode, const std::vector<double>& values) {
    return {{episode, 0}, values};
}

const std::string kFirst = R"(events.out.tfevents.0.ptp
  brain.Event:2
  node training (Idle)
  node net (Idle) <- images.stream
  node images.stream (stream) element=byte shape=[B, 1, 1, 2] <- training
  node scores.stream (stream) element=float shape=[B] <- net
  0 experiment/text_summary (text): '    a = 1\n    b = 2\n'
)";

}  // namespace

TEST_CASE("tensorboard: another program reads the graph, the experiment and all values") {
    if (!has_python()) {
        MESSAGE("skipped: there is no python3");
        return;
    }
    const Board board;
    TensorBoard sink = board.sink({.every_episodes = 2,
                                   .histograms_every_episodes = 3,
                                   .images = {{"images", {}}},
                                   .image_count = 2});
    CHECK(sink.reads("images"));
    CHECK(!sink.reads("scores"));
    sink.begin(board.facts());
    Frame frame(board.plan.plan);
    frame[0].tensor = at::tensor({0, 1, 2, 3, 4, 255}, at::kByte).reshape({3, 1, 1, 2});
    const std::vector<double> values = {0.5, 9, 9};
    for (std::uint64_t i = 0; i < 4; ++i) {
        sink.episode(row(i, values));
        sink.look_at({i, 0}, frame);
        weight.mutable_grad() = at::full({2}, 0.25F);
        sink.learned({i, 0}, board.components);
    }
    const std::vector<Aggregate> aggregates = {{0.75, 0, 0, 0}, {9, 0, 0, 0}, {0.25, 0, 0, 0}};
    sink.set({"validation", {{3, 0}, 1}, aggregates});
    sink.sync();
    CHECK(board.read() == kFirst + R"(  0 episodes/loss = 0.5
  0 images/0: 1 x 2 x 1: 0001
  0 images/1: 1 x 2 x 1: 0203
  0 weights/net.weight: 2 numbers from -2 to 1, sum -1, squares 5
  0 gradients/net.weight: 2 numbers from 0.25 to 0.25, sum 0.5, squares 0.125
  2 episodes/loss = 0.5
  3 weights/net.weight: 2 numbers from -2 to 1, sum -1, squares 5
  3 gradients/net.weight: 2 numbers from 0.25 to 0.25, sum 0.5, squares 0.125
  3 validation/loss = 0.75
  3 validation/f1 = 0.25
)");
}

TEST_CASE("tensorboard: gradients of accumulated batches come with the next step, resumed or not") {
    if (!has_python()) {
        MESSAGE("skipped: there is no python3");
        return;
    }
    const Board board;
    const ptp::experiment::TensorBoard settings{
        .every_episodes = 1, .histograms_every_episodes = 2, .images = {}, .image_count = 4};
    TensorBoard first = board.sink(settings);
    first.begin(board.facts());
    weight.mutable_grad().reset();
    first.learned({0, 0}, board.components);
    first.sync();
    TensorBoard second = board.sink(settings);
    second.restore(first.save());
    second.begin(board.facts(1));
    for (std::uint64_t i = 1; i < 4; ++i) {
        if (i % 2 == 1) {  // a step
            weight.mutable_grad() = at::full({2}, static_cast<float>(i));
        } else {
            weight.mutable_grad().reset();
        }
        second.learned({i, 0}, board.components);
    }
    second.sync();
    CHECK(board.read() == std::string(kFirst) +
                              R"(  0 weights/net.weight: 2 numbers from -2 to 1, sum -1, squares 5
  1 gradients/net.weight: 2 numbers from 1 to 1, sum 2, squares 2
  2 weights/net.weight: 2 numbers from -2 to 1, sum -1, squares 5
  3 gradients/net.weight: 2 numbers from 3 to 3, sum 6, squares 18
)");
}

TEST_CASE("tensorboard: real images are from 0 to 1, or stretched, in the order of PNG") {
    if (!has_python()) {
        MESSAGE("skipped: there is no python3");
        return;
    }
    const Board board;
    TensorBoard sink = board.sink({.every_episodes = 1,
                                   .histograms_every_episodes = 0,
                                   .images = {{"images", {}}},
                                   .image_count = 4});
    sink.begin(board.facts());
    Frame frame(board.plan.plan);
    frame[0].tensor = at::zeros({2, 3, 2, 1});
    frame[0].tensor[0][0][1][0] = 1;   // red, in the second line
    frame[0].tensor[1][1][0][0] = -3;  // green, in the first, the smallest
    frame[0].tensor[1][2][1][0] = 2;   // blue, the largest: 0 becomes 3/5
    sink.look_at({0, 0}, frame);
    sink.sync();
    CHECK(board.read() == kFirst + R"(  0 images/0: 2 x 1 x 3: 000000ff0000
  0 images/1: 2 x 1 x 3: 9900999999ff
)");
}

TEST_CASE("tensorboard: after a resume no episode is missing or there twice") {
    if (!has_python()) {
        MESSAGE("skipped: there is no python3");
        return;
    }
    const Board board;
    const std::vector<double> values = {0.5, 9, 9};
    Value saved;
    {
        TensorBoard sink = board.sink({});
        sink.begin(board.facts());
        sink.episode(row(0, values));
        sink.sync();
        saved = sink.save();
        sink.episode(row(1, values));
        sink.sync();
    }
    for (int attempt = 0; attempt < 2; ++attempt) {  // the first was killed before a checkpoint
        TensorBoard sink = board.sink({});
        sink.restore(saved);
        sink.begin(board.facts(1));
        sink.episode(row(1, values));
        sink.sync();
    }
    CHECK(board.read() == kFirst + "  0 episodes/loss = 0.5\n  1 episodes/loss = 0.5\n");

    TensorBoard sink = board.sink({});
    sink.restore(Value::table());  // a run that begins again without any checkpoint
    sink.begin(board.facts());
    CHECK(board.read() == kFirst);
}

TEST_CASE("tensorboard: what a component shows is there with its pixels, at its episode") {
    if (!has_python()) {
        MESSAGE("skipped: there is no python3");
        return;
    }
    const Board board;
    TensorBoard sink = board.sink({});
    CHECK(sink.takes_pictures());
    sink.begin(board.facts());
    sink.picture({3, "sheets/training",
                  at::tensor({1, 2, 3, 4, 5, 6}, at::kByte).reshape({1, 2, 3}).permute({2, 0, 1})});
    sink.picture(
        {4, "sheets/validation/worst", at::tensor({7, 0, 255}, at::kByte).reshape({1, 1, 3})});
    sink.sync();
    CHECK(board.read() == kFirst + R"(  3 sheets/training: 1 x 2 x 3: 010203040506
  4 sheets/validation/worst: 1 x 3 x 1: 0700ff
)");
}

}  // namespace tensorboard_test
