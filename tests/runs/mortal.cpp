// Mortal: a model that lets its process come to an end in one episode, if that is the rank that is
// meant, in the first attempts of a launcher. It passes its input on.

#include <ptp/plugin.hpp>

#include <torch/nn/module.h>

#include <unistd.h>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>

class Mortal {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "Mortal";
    static constexpr const char* summary = "Passes its input on until its process comes to an end";

    static constexpr std::array ports{ptp::input("inputs", PTP_FLOAT, "B, width", "Vectors"),
                                      ptp::output("outputs", PTP_FLOAT, "B, width", "The same")};

    enum class End { kKill, kHalt, kThrow };

    struct Config {
        End end = End::kKill;
        int64_t rank = 0;
        int64_t episode = 0;
        int64_t deaths = 1;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("end", &Config::end, {.help = "How", .choices = "kill|halt|throw"}),
                ptp::setting("rank", &Config::rank, {.help = "Of which process"}),
                ptp::setting("episode", &Config::episode, {.help = "When"}),
                ptp::setting("deaths", &Config::deaths, {.help = "In how many attempts"})};
        }
    };

    Mortal(const Config& config, ptp::Setup&) : config_(config) {}

    at::Tensor forward(const at::Tensor& inputs, const ptp::Step& step) {
        if (step.is_training() && step.episode() == static_cast<uint64_t>(config_.episode) &&
            variable("RANK") == std::to_string(config_.rank) &&
            std::atoll(variable("PTP_RESTART").c_str()) < config_.deaths) {
            end();
        }
        return inputs * 1;
    }

    torch::nn::Module& module() { return *net_; }

private:
    static std::string variable(const char* name) {
        const char* const value = std::getenv(name);
        return value == nullptr ? "" : value;
    }

    void end() const {
        switch (config_.end) {
            case End::kKill:
                kill(getpid(), SIGKILL);
                break;
            case End::kHalt:
                kill(getpid(), SIGSTOP);
                break;
            case End::kThrow:
                throw ptp::DataError("this was the end");
        }
    }

    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    Config config_;
};

PTP_PLUGIN("mortal", "1.0.0", Mortal);
