#include "runs/embedding_support.hpp"

#include <doctest/doctest.h>

namespace ptp::test {

namespace {

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
    std::vector<const char*> all;
    for (const std::string& text : texts) {
        all.push_back(text.c_str());
    }
    return all;
}

const char* or_null(const std::string& text) {
    return text.empty() ? nullptr : text.c_str();
}

}  // namespace

Embedded::Embedded(const std::filesystem::path& file, const Options& given,
                   const std::string& text) {
    const std::vector<const char*> set = pointers(given.set);
    ptp_experiment_options options = PTP_EXPERIMENT_OPTIONS;
    options.set = set.data();
    options.set_count = set.size();
    const std::vector<const char*> plugins = pointers(given.plugins);
    options.plugins = plugins.data();
    options.plugin_count = plugins.size();
    options.run_folder = or_null(given.run_folder);
    options.checkpoint = or_null(given.checkpoint);
    options.handles_signals = given.handles_signals ? 1 : 0;
    options.skips_self_test = given.skips_self_test ? 1 : 0;
    options.with_plugins = given.with_plugins ? 1 : 0;
    if (given.is_resumed) {
        opened = ptp_experiment_resume(file.c_str(), &options, &experiment);
        return;
    }
    opened = text.empty() ? ptp_experiment_open(file.c_str(), &options, &experiment)
                          : ptp_experiment_parse(text.c_str(), file.c_str(), &options, &experiment);
}

int Embedded::steps(int count) {
    int running = 0;
    for (int i = 0; i < count; ++i) {
        int32_t is_running = 0;
        ptp_experiment_step(experiment, &is_running);
        running += is_running;
    }
    return running;
}

std::vector<float> Embedded::read(const char* stream) const {
    DLManagedTensor* tensor = nullptr;
    if (ptp_experiment_read(experiment, stream, &tensor) != PTP_RESULT_DONE) {
        return {};
    }
    const DLTensor& view = tensor->dl_tensor;
    int64_t count = 1;
    for (int i = 0; i < view.ndim; ++i) {
        count *= view.shape[i];
    }
    const auto* first =
        reinterpret_cast<const float*>(static_cast<const char*>(view.data) + view.byte_offset);
    std::vector<float> values(first, first + count);
    tensor->deleter(tensor);
    return values;
}

ptp_result feed(const Embedded& to, std::vector<float> pixels, std::vector<int64_t> shape,
                const char* stream) {
    const DLTensor tensor{pixels.data(),
                          {kDLCPU, 0},
                          static_cast<int32_t>(shape.size()),
                          {kDLFloat, 32, 1},
                          shape.data(),
                          nullptr,
                          0};
    return ptp_experiment_feed(to.experiment, stream, &tensor);
}

std::vector<float> predict(const Embedded& with, const std::vector<float>& pixels) {
    if (feed(with, pixels, {static_cast<int64_t>(pixels.size()) / 4, 1, 2, 2}) != PTP_RESULT_DONE ||
        ptp_experiment_predict(with.experiment) != PTP_RESULT_DONE) {
        return {};
    }
    return with.read("predictions");
}

void check_same_run(const ExperimentFolder& folder, const std::string& one,
                    const std::string& other) {
    for (const char* file : {"training.csv", "validation.csv", "test.csv"}) {
        CAPTURE(file);
        CHECK(folder.read(one + "/" + file) == folder.read(other + "/" + file));
    }
    for (const char* file : {"weights.safetensors", "training.safetensors"}) {
        CAPTURE(file);
        CHECK(folder.read(one + "/checkpoints/last/" + file) ==
              folder.read(other + "/checkpoints/last/" + file));
    }
}

}  // namespace ptp::test
