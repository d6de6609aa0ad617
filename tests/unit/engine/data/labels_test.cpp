#include "engine/data/labels.hpp"

#include "base/error.hpp"
#include "engine/component/loader_stage.hpp"
#include "engine/data/batch_source.hpp"
#include "engine/data/pass.hpp"
#include "support/engine_plan.hpp"
#include "support/texts.hpp"

#include <ptp/ext/draft/sampling.h>
#include <ptp/ext/samples.h>
#include <ptp/ext/task.h>

#include <ATen/ops/empty.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace labels_test {

using ptp::engine::sample_facts;
using Labels = std::vector<std::int64_t>;
using Weights = std::vector<double>;

namespace {

constexpr std::int64_t kSamples = 50;

const ptp_host* host = nullptr;

ptp_status size(void*, std::int64_t* out) {
    *out = kSamples;
    return PTP_OK;
}

float rare_answer = 1;  // that a task has for its second class

// The class of a sample: 1 for every tenth, else 0; its name; and the answer of a yes or no.
ptp_status fetch(void*, const ptp_fetch* wanted, ptp_value* const* outputs) {
    at::Tensor classes =
        at::empty({static_cast<std::int64_t>(wanted->count)}, at::TensorOptions(at::kInt));
    at::Tensor answers = at::empty({classes.size(0), 1});
    std::string bytes;
    std::vector<std::uint64_t> offsets = {0};
    for (std::uint64_t i = 0; i < wanted->count; ++i) {
        const bool is_rare = wanted->indices[i] % 10 == 0;
        classes.data_ptr<std::int32_t>()[i] = is_rare ? 1 : 0;
        answers.data_ptr<float>()[i] = is_rare ? rare_answer : 0;
        bytes += is_rare ? "rare" : "usual";
        offsets.push_back(bytes.size());
    }
    ptp::test::tensor_in(outputs[0]) = classes;
    ptp::test::tensor_in(outputs[2]) = answers;
    const ptp_text text = {bytes.data(), offsets.data(), wanted->count, nullptr, 0};
    return host->set_text(host->context, outputs[1], &text);
}

const ptp_sampling* stated = nullptr;  // what a task states of its samples

const void* extension(const char* id) {
    static const ptp_task task = {sizeof(ptp_task), 0, size, fetch};
    if (std::string_view(id) == PTP_EXTENSION_SAMPLING) {
        return stated;
    }
    return std::string_view(id) == PTP_EXTENSION_TASK ? &task : nullptr;
}

// Sample i has the weight i + 0.5, and is of class 0 if it is one of the first ten.
ptp_status write_weights(void*, double* out) {
    for (std::int64_t i = 0; i < kSamples; ++i) {
        out[i] = static_cast<double>(i) + 0.5;
    }
    return PTP_OK;
}

ptp_status write_classes(void*, std::int64_t* out) {
    for (std::int64_t i = 0; i < kSamples; ++i) {
        out[i] = i < 10 ? 0 : 7;
    }
    return PTP_OK;
}

ptp_status write_nothing(void*, double*) {
    return PTP_OK;
}

ptp_status write_zeros(void*, double* out) {
    std::fill_n(out, kSamples, 0.0);
    return PTP_OK;
}

constexpr ptp_sampling kBoth = {sizeof(ptp_sampling), write_weights, write_classes};
constexpr ptp_sampling kClasses = {sizeof(ptp_sampling), nullptr, write_classes};
constexpr ptp_sampling kUnwritten = {sizeof(ptp_sampling), write_nothing, nullptr};
constexpr ptp_sampling kZeros = {sizeof(ptp_sampling), write_zeros, nullptr};

// Ten times the class plus the last digit of the sample's number.
ptp_status transform(void*, const ptp_samples* samples, const ptp_value* const* inputs,
                     ptp_value* const* outputs) {
    at::Tensor numbers = ptp::test::tensor_in(inputs[0]).to(at::kLong).mul(10);
    for (std::uint64_t i = 0; i < samples->count; ++i) {
        numbers.data_ptr<std::int64_t>()[i] += samples->indices[i] % 10;
    }
    ptp::test::tensor_in(outputs[0]) = numbers;
    return samples->is_training != 0 ? PTP_ERROR_INTERNAL : PTP_OK;
}

const void* transform_extension(const char* id) {
    static const ptp_sample_transform table = {sizeof(ptp_sample_transform), transform};
    return std::string_view(id) == PTP_EXTENSION_SAMPLES ? &table : nullptr;
}

struct Balancing {
    explicit Balancing(const std::string& stream, const ptp_sampling* sampling = nullptr) {
        stated = sampling;
        section.name = "training";
        section.task.batch_size = 8;
        section.dataloader.drop_last = true;
        ptp::experiment::ClassBalancedSampler sampler;
        sampler.label_stream = stream;
        section.sampler = {sampler};
        ptp_component_info info = ptp::test::idle_component();
        info.extension = extension;
        info.create = [](const ptp_host* given, const ptp_setup*, void** out) -> ptp_status {
            host = given;
            *out = &host;
            return PTP_OK;
        };
        plan.add_stream("classes", ptp::plugin::Element::kInteger, {-1});
        plan.add_stream("names", ptp::plugin::Element::kString, {-1});
        plan.add_stream("answers", ptp::plugin::Element::kFloating, {-1, 1});
        plan.add_task(info, {{"classes", 0}, {"names", 1}, {"answers", 2}});
        ptp_component_info behind = ptp::test::idle_component();
        behind.extension = transform_extension;
        plan.add_stream("lengths", ptp::plugin::Element::kInteger, {-1});
        plan.add_node("behind", ptp::plugin::Kind::kTransform, behind, {{"inputs", 0}},
                      {{"outputs", 3}});
        components = plan.create();
        stage = ptp::engine::per_sample_stage(components, *components.tasks[0]);
    }

    [[nodiscard]] ptp::engine::SampleStreams streams() const {
        return {section, plan.plan, *components.tasks[0], stage, 1};
    }
    Labels labels() { return sample_facts(streams()).labels; }
    Labels lengths(const std::string& stream) {
        section.sampler = {ptp::experiment::LengthGroupedSampler{{.length_stream = stream}},
                           {"x.toml", 4, 1}};
        return sample_facts(streams()).lengths;
    }

    // Draws by the weights that the task states.
    Weights weights() {
        ptp::experiment::WeightedRandomSampler sampler;
        sampler.weights = {{}, {"x.toml", 4, 1}, "task"};
        section.sampler = {sampler};
        section.task.type = "Words";
        return sample_facts(streams()).weights;
    }

    ptp::experiment::Section section;
    ptp::test::EnginePlan plan;
    ptp::engine::Components components;
    std::vector<ptp::engine::Instance*> stage;
};

std::string refusal(const ptp_sampling* sampling) {
    return ptp::test::error_of<ptp::RunError>([&] { Balancing("classes", sampling).weights(); });
}

}  // namespace

TEST_CASE("labels: a limit of batches limits the epoch, not what is known of the samples") {
    Balancing balancing("classes");
    balancing.section.batch_limit = 1;
    CHECK(balancing.labels().size() == kSamples);
}

TEST_CASE("labels: they are read from the task's stream, one for every sample") {
    Labels expected(kSamples);
    for (std::size_t i = 0; i < expected.size(); i += 10) {
        expected[i] = 1;
    }
    CHECK(Balancing("classes").labels() == expected);
    CHECK(Balancing("answers").labels() == expected);
}

TEST_CASE("labels: a measured number is not the number of a class, and is refused") {
    Balancing balancing("answers");
    balancing.section.sampler->place = {"x.toml", 4, 1};
    rare_answer = 0.5F;
    CHECK_THROWS_WITH_AS(balancing.labels(),
                         "x.toml:4:1: training.sampler.label_stream = \"answers\": has the number "
                         "0.5, which is not the number of a class",
                         ptp::RunError);
    rare_answer = 1;
}

TEST_CASE("labels: they may be those of a transform behind the task, and so may lengths") {
    Labels expected(kSamples);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        expected[i] = i % 10 == 0 ? 10 : static_cast<std::int64_t>(i % 10);
    }
    for (const std::int64_t workers : {0, 3}) {
        Balancing balancing("lengths");
        balancing.section.dataloader.num_workers = workers;
        CHECK(balancing.labels() == expected);
        CHECK(balancing.lengths("lengths") == expected);
        CHECK(balancing.labels().empty());
    }
    Balancing classes("names");
    CHECK(classes.lengths("classes")[0] == 1);
    classes.section.sampler->is_each_once = true;
    CHECK(sample_facts(classes.streams()).lengths.empty());
}

TEST_CASE("labels: a stream that neither the task nor a transform behind it writes is refused") {
    Balancing balancing("names");
    balancing.plan.add_stream("embedded", ptp::plugin::Element::kInteger, {-1});
    for (const std::string stream : {"embedded", "nowhere"}) {
        CHECK_THROWS_WITH_AS(
            balancing.lengths(stream),
            ("x.toml:4:1: training.sampler.length_stream = \"" + stream +
             "\": neither the task of [training] (Idle) nor a transform behind it that "
             "treats each sample by itself writes this stream")
                .c_str(),
            ptp::RunError);
    }
}

TEST_CASE("labels: strings are numbered as they first come") {
    Labels expected(kSamples, 1);
    for (std::size_t i = 0; i < expected.size(); i += 10) {
        expected[i] = 0;
    }
    CHECK(Balancing("names").labels() == expected);
}

TEST_CASE("labels: the experiment's labels come first, and other samplers need none") {
    Balancing balancing("classes");
    balancing.section.sampler->get<ptp::experiment::Classes>()->labels = {{4, 5}, {}};
    CHECK(balancing.labels() == Labels{4, 5});
    balancing.section.sampler->options = ptp::experiment::RandomSampler();
    CHECK(balancing.labels().empty());
    balancing.section.sampler.reset();
    CHECK(balancing.labels().empty());
}

TEST_CASE("labels: a balanced section gives batches of as many of each class") {
    Balancing balancing("classes");
    ptp::engine::BatchSource source(balancing.section, balancing.plan.plan,
                                    *balancing.components.tasks[0], 1);
    ptp::engine::Frame frame(balancing.plan.plan);
    ptp::engine::Pass pass(source, 0, true);
    std::int64_t rare = 0;
    while (pass.next(frame)) {
        for (std::uint64_t i = 0; i < pass.batch_size(); ++i) {
            rare += frame[0].tensor.data_ptr<std::int32_t>()[i];
        }
    }
    // 50 draws, 25 of each class; the last 2 are dropped.
    CHECK(pass.batch_count() == 6);
    CHECK(rare >= 23);
    CHECK(rare <= 25);
}

TEST_CASE("labels: a sampler takes the classes that the task states") {
    Balancing balancing("classes", &kClasses);
    auto& classes = *balancing.section.sampler->get<ptp::experiment::Classes>();
    classes.labels = {{}, {"x.toml", 4, 1}, "task"};
    Labels expected(kSamples, 7);
    std::fill_n(expected.begin(), 10, 0);
    CHECK(balancing.labels() == expected);

    Balancing silent("classes");
    *silent.section.sampler->get<ptp::experiment::Classes>() = classes;
    silent.section.task.type = "Words";
    CHECK_THROWS_WITH_AS(
        silent.labels(),
        "x.toml:4:1: training.sampler.labels = \"task\": Words states no classes of its samples\n"
        "    fix: name a stream of the task as label_stream, or list the labels",
        ptp::RunError);
}

TEST_CASE("weights: a sampler takes those that the task states") {
    const Weights weights = Balancing("classes", &kBoth).weights();
    REQUIRE(weights.size() == kSamples);
    CHECK(weights[0] == 0.5);
    CHECK(weights[49] == 49.5);
}

TEST_CASE("weights: from classes, a sample has 1 divided by the size of its class") {
    Weights expected(kSamples, 1.0 / 40);
    std::fill_n(expected.begin(), 10, 1.0 / 10);
    CHECK(Balancing("classes", &kClasses).weights() == expected);
}

TEST_CASE("weights: what a task does not state or states wrongly is refused") {
    CHECK(refusal(nullptr) ==
          "x.toml:4:1: training.sampler.weights = \"task\": Words states neither weights nor "
          "classes of its samples\n    fix: give a list of weights or the name of a file");
    CHECK(refusal(&kZeros) ==
          "x.toml:4:1: training.sampler.weights = \"task\": Words states a weight of 0 for each "
          "sample\n    fix: give a list of weights or the name of a file");
    CHECK(
        refusal(&kUnwritten) ==
        "plugin 'test_plugin' 1.0: the task of [training] (Idle): sample 0 has a weight of -1, must "
        "be finite and not negative");
}

TEST_CASE("weights: an epoch has the samples as often as the task's weights say") {
    Balancing balancing("classes", &kClasses);
    balancing.weights();
    balancing.section.sampler->get<ptp::experiment::Weights>()->samples = 4000;
    ptp::engine::BatchSource source(balancing.section, balancing.plan.plan,
                                    *balancing.components.tasks[0], 1);
    const std::vector<std::int64_t> order = source.plan_pass(0, true).order;
    REQUIRE(order.size() == 4000);
    const auto first_class = std::ranges::count_if(order, [](auto index) { return index < 10; });
    // Half of 4000 draws, with a standard deviation of 32.
    CHECK(first_class > 2000 - 160);
    CHECK(first_class < 2000 + 160);
}

}  // namespace labels_test
