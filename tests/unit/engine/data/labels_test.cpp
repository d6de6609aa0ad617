#include "engine/data/labels.hpp"

#include "engine/data/batch_source.hpp"
#include "engine/data/pass.hpp"
#include "support/engine_plan.hpp"

#include <ptp/ext/task.h>

#include <ATen/ops/empty.h>
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <string_view>

namespace labels_test {

using ptp::engine::sample_labels;
using Labels = std::vector<std::int64_t>;

namespace {

constexpr std::int64_t kSamples = 50;

const ptp_host* host = nullptr;

ptp_status size(void*, std::int64_t* out) {
    *out = kSamples;
    return PTP_OK;
}

// The class of a sample: 1 for every tenth, else 0; and its name.
ptp_status fetch(void*, const ptp_fetch* wanted, ptp_value* const* outputs) {
    at::Tensor classes =
        at::empty({static_cast<std::int64_t>(wanted->count)}, at::TensorOptions(at::kInt));
    std::string bytes;
    std::vector<std::uint64_t> offsets = {0};
    for (std::uint64_t i = 0; i < wanted->count; ++i) {
        const bool is_rare = wanted->indices[i] % 10 == 0;
        classes.data_ptr<std::int32_t>()[i] = is_rare ? 1 : 0;
        bytes += is_rare ? "rare" : "usual";
        offsets.push_back(bytes.size());
    }
    ptp::test::tensor_in(outputs[0]) = classes;
    const ptp_text text = {bytes.data(), offsets.data(), wanted->count, nullptr, 0};
    return host->set_text(host->context, outputs[1], &text);
}

const void* extension(const char* id) {
    static const ptp_task task = {sizeof(ptp_task), 0, size, fetch};
    return std::string_view(id) == PTP_EXTENSION_TASK ? &task : nullptr;
}

struct Balancing {
    explicit Balancing(const std::string& stream) {
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
        plan.add_task(info, {{"classes", 0}, {"names", 1}});
        components = plan.create();
    }

    Labels labels() { return sample_labels(section, plan.plan, *components.tasks[0], 1); }

    ptp::experiment::Section section;
    ptp::test::EnginePlan plan;
    ptp::engine::Components components;
};

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

}  // namespace labels_test
