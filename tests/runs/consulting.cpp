// Consult: passes numbers on, and asks another experiment of libptp about an image before, on the
// thread that computes. What libptp answers is its error about data. And Determined.

#include <ptp/host.h>
#include <ptp/component.hpp>
#include <ptp/entry.hpp>

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <string>
#include <tuple>

// Returns a function of the libptp in the process.
template <class Function>
Function* of_libptp(const char* name) {
    auto* const found = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
    if (found == nullptr) {
        throw ptp::DataError("the program has no ", name, "()");
    }
    return found;
}

class Consult {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Consult";
    static constexpr const char* summary = "Asks another model while it computes";

    static constexpr std::array ports{ptp::input("inputs", PTP_FLOAT, "B, size", "Numbers"),
                                      ptp::output("outputs", PTP_FLOAT, "B, size", "The same")};

    struct Config {
        std::string run;
        std::int64_t opened = 0;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("run", &Config::run, {.help = "The run that is asked"}),
                ptp::setting("opened", &Config::opened,
                             {.help = "The address of an open experiment that is asked in its "
                                      "place, and closed; 0: there is none"})};
        }
    };

    explicit Consult(Config config) : config_(std::move(config)) {}

    at::Tensor forward(const at::Tensor& inputs) const {
        auto* const error = of_libptp<decltype(ptp_experiment_error)>("ptp_experiment_error");
        auto* experiment = reinterpret_cast<ptp_experiment*>(config_.opened);
        if (experiment == nullptr &&
            of_libptp<decltype(ptp_experiment_open)>("ptp_experiment_open")(
                config_.run.c_str(), nullptr, &experiment) != PTP_RESULT_DONE) {
            throw ptp::DataError(error(experiment));
        }
        std::array<float, 4> pixels = {0, 0, 0, 1};
        std::array<std::int64_t, 4> shape = {1, 1, 2, 2};
        const DLTensor image{pixels.data(), {kDLCPU, 0}, 4, {kDLFloat, 32, 1},
                             shape.data(),  nullptr,     0};
        const ptp_result fed = of_libptp<decltype(ptp_experiment_feed)>("ptp_experiment_feed")(
            experiment, "inputs", &image);
        int32_t is_running = 0;
        const ptp_result trained = of_libptp<decltype(ptp_experiment_step)>("ptp_experiment_step")(
            experiment, &is_running);
        const std::string answer = error(experiment);
        of_libptp<decltype(ptp_experiment_close)>("ptp_experiment_close")(experiment);
        if (fed != PTP_RESULT_DONE) {
            throw ptp::DataError(fed, ", ", trained, ": ", answer);
        }
        return inputs;
    }

private:
    Config config_;
};

// Passes numbers on, refuses them while libtorch is to compute by deterministic algorithms alone,
// and sets that it is.
class Determined {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Determined";
    static constexpr const char* summary = "Leaves libtorch deterministic";

    static constexpr std::array ports{ptp::input("inputs", PTP_FLOAT, "B, size", "Numbers"),
                                      ptp::output("outputs", PTP_FLOAT, "B, size", "The same")};

    at::Tensor forward(const at::Tensor& inputs) const {
        if (at::globalContext().deterministicAlgorithms()) {
            throw ptp::DataError("libtorch is deterministic");
        }
        at::globalContext().setDeterministicAlgorithms(true, false);
        return inputs;
    }
};

PTP_PLUGIN("consulting", "0.1.0", Consult, Determined);
