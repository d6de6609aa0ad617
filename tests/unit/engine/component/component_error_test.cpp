#include "engine/component/component_error.hpp"

#include "engine/component/slot.hpp"
#include "plugin/catalog.hpp"

#include <ATen/ops/zeros.h>
#include <doctest/doctest.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

namespace component_error_test {

using ptp::SourceLocation;
using ptp::Value;
using namespace ptp::engine;

namespace {

// A statistic in line 20 of an experiment, with top_k = 5 in line 22 and a default.
struct Accuracy {
    Accuracy() {
        entry.manifest.name = "statistics";
        entry.manifest.version = "0.2.0";
        component.name = "Accuracy";
        for (const char* name : {"top_k", "scale", "absent"}) {
            component.settings.emplace_back().name = name;
        }
        node.name = "accuracy";
        node.path = "pipeline.accuracy";
        node.place = SourceLocation("e.toml", 20, 1);
        node.plugin = &entry;
        node.component = &component;
        node.settings = {Value(5).at(SourceLocation("e.toml", 22, 9)), Value(0.5), std::nullopt};
        node.inputs.emplace_back().name = "predictions";
        node.inputs.emplace_back().name = "words";
        node.inputs.emplace_back().name = "masks";
    }

    auto error(ptp_status status, const std::string& message, const char* work = "forward()",
               const CallValues& values = {}, FailureFacts facts = {}) const {
        Call call({"", work}, values);
        call.fail(message, ptp::engine::ErrorOrigin::kComponent, std::move(facts));
        return component_error(node, status, call, std::string(work) == "create()");
    }
    std::string text(ptp_status status, const std::string& message, const char* work = "forward()",
                     const CallValues& values = {}) const {
        return error(status, message, work, values).what();
    }

    ptp::plugin::CatalogEntry entry;
    ptp::plugin::Component component;
    ptp::pipeline::Node node;
};

const std::string kPlugin = "e.toml:20:1: 'accuracy' (Accuracy) of plugin 'statistics' 0.2.0: ";

}  // namespace

TEST_CASE(
    "component error: a file that the system does not let be written is not the plugin's mistake") {
    const Accuracy accuracy;
    const std::string message = "cannot write /r/a.csv: whatever the system says";
    struct Case {
        int number;
        const char* fix;
    };
    const Case cases[] = {
        {ENOSPC, "make room there"},
        {EDQUOT, "make room there"},
        {EFBIG, "raise the limit of the size of a file (ulimit -f)"},
        {EACCES, "make it writable"},
        {EPERM, "make it writable"},
        {EROFS, "make it writable"},
        {EMFILE, "raise the limit of open files (ulimit -n)"},
        {ENFILE, "raise the limit of open files (ulimit -n)"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.number);
        const auto error =
            accuracy.error(PTP_ERROR_INTERNAL, message, "create()", {}, {.system = c.number});
        CHECK(error.code() == ptp::kTrainingError);
        CHECK(error.what() ==
              "e.toml:20:1: 'accuracy' (Accuracy): " + message + "\n    fix: " + c.fix);
    }
    const auto of_text = accuracy.error(PTP_ERROR_INTERNAL, "cannot write a: File too large");
    CHECK(std::string(of_text.what())
              .starts_with(kPlugin + "forward() failed: cannot write a: File too large\n"));
    const auto other =
        accuracy.error(PTP_ERROR_INTERNAL, message, "forward()", {}, {.system = EIO});
    CHECK(std::string(other.what()).starts_with(kPlugin + "forward() failed: " + message + "\n"));
}

TEST_CASE("component error: a setting that is to blame is said with its own line") {
    const Accuracy accuracy;
    struct Case {
        const char* setting;
        const char* message;
        const char* expected;
        bool is_about_setting = true;
    };
    const Case cases[] = {
        {"top_k", "must be at most 2",
         "e.toml:22:9: pipeline.accuracy.top_k = 5: must be at most 2"},
        {"scale", "must not be 0.5", "e.toml:20:1: pipeline.accuracy.scale = 0.5: must not be 0.5"},
        {"absent", "is needed here", "e.toml:20:1: pipeline.accuracy.absent: is needed here"},
        {"other", "no", "e.toml:20:1: 'accuracy' (Accuracy): setting 'other': no", false},
        {"", "setting 'top_k': no", "e.toml:20:1: 'accuracy' (Accuracy): setting 'top_k': no",
         false},
        {"", "the moon is full", "e.toml:20:1: 'accuracy' (Accuracy): the moon is full", false},
    };
    for (const Case& c : cases) {
        Call call({"", "create()"}, {});
        call.fail(c.message, ptp::engine::ErrorOrigin::kComponent, {.setting = c.setting});
        const auto error = component_error(accuracy.node, PTP_ERROR_CONFIG, call, true);
        CHECK(error.what() == std::string(c.expected));
        CHECK(error.code() == ptp::kConfigurationError);
        CHECK(ptp::engine::is_about_setting(accuracy.node, call) == c.is_about_setting);
    }
}

TEST_CASE("component error: wrong data are reported in the component's words") {
    const Accuracy accuracy;
    const auto error = accuracy.error(PTP_ERROR_DATA, "sample 7: is damaged", "fetch()");
    CHECK(error.what() == std::string("e.toml:20:1: 'accuracy' (Accuracy): sample 7: is damaged"));
    CHECK(error.code() == ptp::kDataError);
}

TEST_CASE("component error: an exception is reported with plugin, call and what to do") {
    Accuracy accuracy;
    CHECK(accuracy.text(PTP_ERROR_INTERNAL, "std::invalid_argument: stof", "create()") ==
          kPlugin +
              "create() failed: std::invalid_argument: stof\n"
              "    fix: check its settings and the files that they name; if they are right, report "
              "this to the author of the plugin");
    CHECK(accuracy.error(PTP_ERROR_INTERNAL, "x", "create()").code() == ptp::kPluginError);
    CHECK(accuracy.error(PTP_ERROR_INTERNAL, "x", "collect()").code() == ptp::kTrainingError);

    accuracy.entry.manifest.author = "Jane Doe <jane@example.org>";
    CHECK(accuracy.text(PTP_ERROR_INTERNAL, "std::out_of_range: at", "collect()") ==
          kPlugin +
              "collect() failed: std::out_of_range: at\n"
              "    fix: report this to the author of the plugin (Jane Doe <jane@example.org>)");
    accuracy.entry.manifest.homepage = "https://example.org";
    CHECK(accuracy.text(PTP_ERROR_INTERNAL, "std::out_of_range: at", "collect()")
              .ends_with("of the plugin (Jane Doe <jane@example.org>, https://example.org)"));
}

TEST_CASE("component error: the samples that were fetched are named") {
    const Accuracy accuracy;
    const std::vector<std::int64_t> samples{12, 5, 33, 8, 9};
    const std::string fix =
        "\n    fix: check the data of what it was reading; if they are right, report this to the "
        "author of the plugin";
    CallValues values;
    values.samples = samples;
    CHECK(accuracy.text(PTP_ERROR_INTERNAL, "std::invalid_argument: stof", "fetch()", values) ==
          kPlugin + "fetch() of samples 12, 5, 33 and 2 more failed: std::invalid_argument: stof" +
              fix);
    CHECK(accuracy.text(PTP_ERROR_INTERNAL, "sample 5: std::invalid_argument: stof", "fetch()",
                        values) ==
          kPlugin + "fetch() failed: sample 5: std::invalid_argument: stof" + fix);
    values.samples = values.samples.first(1);
    CHECK(accuracy.text(PTP_ERROR_INTERNAL, "x", "fetch()", values) ==
          kPlugin + "fetch() of sample 12 failed: x" + fix);
}

TEST_CASE("component error: a batch of one sample that is normalized has its own fix") {
    const Accuracy accuracy;
    const std::string message =
        "c10::Error: Expected more than 1 value per channel when training, got input size [1, 16]";
    CHECK(accuracy.text(PTP_ERROR_INTERNAL, message, "forward()") ==
          kPlugin + "forward() failed: " + message +
              "\n    fix: training.dataloader.drop_last = true leaves out a last batch of one "
              "sample, or set another batch_size; where several processes share a batch, "
              "distributed.buffers = \"synchronized\" gives none a single sample");
}

TEST_CASE("component error: the inputs are shown with types and sizes") {
    const Accuracy accuracy;
    Slot predictions;
    predictions.tensor = at::zeros({4, 10});
    Slot words;
    words.element = PTP_STRING;
    const ptp_value* inputs[] = {predictions.value(), words.value(), nullptr};
    const ptp_element elements[] = {PTP_FLOAT, PTP_STRING, PTP_BOOL};
    CallValues values;
    values.inputs = inputs;
    values.input_elements = elements;
    CHECK(accuracy.text(PTP_ERROR_INTERNAL, "c10::Error: sizes differ", "forward()", values) ==
          kPlugin +
              "forward() failed: c10::Error: sizes differ\n"
              "    inputs: predictions Float [4, 10], words strings\n"
              "    fix: check that its inputs are what it expects; if they are, report this to the "
              "author of the plugin");
}

TEST_CASE("component error: without memory it is not a mistake of the plugin") {
    const Accuracy accuracy;
    CHECK(accuracy.text(PTP_ERROR_INTERNAL, "std::bad_alloc: std::bad_alloc") ==
          kPlugin +
              "forward() failed: std::bad_alloc: std::bad_alloc\n"
              "    fix: there is not enough memory; a smaller batch_size (with training.accumulate "
              "for the same step of the optimizer), training.precision = \"bf16\" or smaller sizes "
              "need less");
}

TEST_CASE("component error: memory that a device refuses is reported with the step") {
    const Accuracy accuracy;
    ptp_step step{};
    step.section = "training";
    step.episode = 12;
    step.epoch = 1;
    step.batch_size = 64;
    CallValues values;
    values.step = &step;
    const std::string text = accuracy.text(
        PTP_ERROR_INTERNAL, "c10::OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
        "forward()", values);
    CHECK(text.starts_with(kPlugin +
                           "forward() failed: c10::OutOfMemoryError: CUDA out of memory. Tried to "
                           "allocate 2.00 GiB\n"
                           "    step: episode 12 (epoch 2), 64 samples of [training]\n"
                           "    fix: there is not enough memory; "));
}

TEST_CASE("component error: memory that create() finds too small ends a run with code 5") {
    const Accuracy accuracy;
    CHECK(accuracy.error(PTP_ERROR_INTERNAL, "std::bad_alloc: std::bad_alloc", "create()").code() ==
          ptp::kTrainingError);
    CHECK(accuracy.error(PTP_ERROR_INTERNAL, "std::out_of_range: at", "create()").code() ==
          ptp::kPluginError);
}

TEST_CASE("component error: a component that no file has written has no place") {
    Accuracy accuracy;
    accuracy.node.place = SourceLocation();
    CHECK(accuracy.text(PTP_ERROR_DATA, "no") == "'accuracy' (Accuracy): no");
}

}  // namespace component_error_test
