// Ranked: a model that does something else in one process of several than in the others, in one
// episode. It passes its input on, or normalizes it. Built twice: RANKED_OBJECTING cannot be
// created in rank 1. Precise is a model of float64, Centered sees the whole batch, Widened has rows
// as wide as the batch is long, Shapeless has a number in one process, Careless is a loss that is
// nan where nothing counts, Heedless one that reads no prediction, and Picky refuses three samples.

#include <ptp/plugin.hpp>

#include <ATen/ops/log_softmax.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <span>
#include <string>

#ifdef RANKED_OBJECTING
constexpr const char* kRankedVersion = "2.0.0";
#else
constexpr const char* kRankedVersion = "1.0.0";
#endif

class Ranked {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "Ranked";
    static constexpr const char* summary = "Passes its input on, but for once in one process";

    static constexpr std::array ports{ptp::input("inputs", PTP_FLOAT, "B, width", "Vectors"),
                                      ptp::output("outputs", PTP_FLOAT, "B, width", "The same")};

    enum class Deed { kNothing, kStall, kPoison, kThrow };

    struct Config {
        Deed deed = Deed::kNothing;
        int64_t rank = 1;
        int64_t episode = 7;
        bool is_normalizing = false;
        double momentum = 0.1;

        static constexpr auto settings() {
            return std::tuple{ptp::setting("deed", &Config::deed,
                                           {.help = "What it does: it never comes back, its output "
                                                    "is not a number, or it throws",
                                            .choices = "nothing|stall|poison|throw"}),
                              ptp::setting("rank", &Config::rank, {.help = "In which process"}),
                              ptp::setting("episode", &Config::episode, {.help = "When"}),
                              ptp::setting("is_normalizing", &Config::is_normalizing,
                                           {.help = "Whether it is a batch normalization, too"}),
                              ptp::setting("momentum", &Config::momentum,
                                           {.help = "Of its means and variances"})};
        }
    };

    Ranked(const Config& config, ptp::Setup& setup) : config_(config) {
        if (config.is_normalizing) {
            norm_ = net_->register_module(
                "norm",
                torch::nn::BatchNorm1d(
                    torch::nn::BatchNormOptions(setup.size("width")).momentum(config.momentum)));
        }
#ifdef RANKED_OBJECTING
        if (own_rank() == "1") {
            throw ptp::DataError("not in rank 1");
        }
#endif
    }

    at::Tensor forward(const at::Tensor& inputs, const ptp::Step& step) {
        const bool is_due = step.is_training() &&
                            step.episode() == static_cast<uint64_t>(config_.episode) &&
                            own_rank() == std::to_string(config_.rank);
        if (!is_due || config_.deed == Deed::kNothing) {
            return norm_ ? norm_->forward(inputs) : inputs * 1;
        }
        if (config_.deed == Deed::kThrow) {
            throw ptp::DataError("this sample cannot be had");
        }
        if (config_.deed == Deed::kPoison) {
            return inputs * std::numeric_limits<double>::quiet_NaN();
        }
        for (;;) {
            pause();
        }
    }

    torch::nn::Module& module() {
        return *net_;
    }

private:
    static std::string own_rank() {
        const char* const value = std::getenv("RANK");
        return value == nullptr ? "" : value;
    }

    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    torch::nn::BatchNorm1d norm_ = nullptr;  // (optional)
    Config config_;
};

// Precise: a perceptron that computes in float64, whatever its input has.
class Precise {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "Precise";
    static constexpr const char* summary = "A perceptron of float64";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, width", "Vectors"),
        ptp::output("predictions", PTP_FLOAT, "B, prediction_size", "Logarithms of chances")};
    static constexpr std::array globals{
        ptp::reads("prediction_size", "Number of classes").purpose(PTP_PURPOSE_SCORE_COUNT)};

    struct Config {
        static constexpr auto settings() { return std::tuple{}; }
    };

    Precise(const Config&, ptp::Setup& setup) {
        constexpr int64_t kHidden = 16;
        net_->push_back(torch::nn::Linear(setup.size("width"), kHidden));
        net_->push_back(torch::nn::Tanh());
        net_->push_back(torch::nn::Linear(kHidden, setup.size("prediction_size")));
        net_->to(at::kDouble);
    }

    at::Tensor forward(const at::Tensor& inputs) {
        return at::log_softmax(net_->forward(inputs.to(at::kDouble)), -1);  // [B, W] -> [B, P]
    }

    torch::nn::Module& module() { return *net_; }

private:
    torch::nn::Sequential net_;
};

// Centered: what differs from the mean of all rows of the batch, whichever process has them.
class Centered {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Centered";
    static constexpr const char* summary = "Rows without the mean of the batch";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, size", "Vectors"),
        ptp::output("outputs", PTP_FLOAT, "B, size", "What differs from their mean")};

    explicit Centered(ptp::Setup& setup) : whole_batch_(setup.whole_batch()) {}

    at::Tensor forward(const at::Tensor& inputs) {
        return inputs - whole_batch_.gather(inputs).rows.mean(0, true);
    }

private:
    ptp::WholeBatch whole_batch_;
};

// Widened: rows of ones, as wide as this process's part of the batch is long.
class Widened {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "Widened";
    static constexpr const char* summary = "Rows whose width is the size of the batch";

    static constexpr std::array ports{ptp::input("inputs", PTP_FLOAT, "B, size", "Vectors"),
                                      ptp::output("outputs", PTP_FLOAT, "B, *", "Ones")};

    at::Tensor forward(const at::Tensor& inputs) {
        return inputs.new_ones({inputs.size(0), inputs.size(0)});  // [B, S] -> [B, B]
    }
};

// Shapeless: a number in rank 0, a row in others.
class Shapeless {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "Shapeless";
    static constexpr const char* summary = "A number in the first process, a row in others";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, size", "Vectors"),
        ptp::output("outputs", PTP_FLOAT, "...", "A number or a row")};

    at::Tensor forward(const at::Tensor& inputs) {
        const char* const rank = std::getenv("RANK");
        const bool is_first = rank == nullptr || std::string(rank) == "0";
        return is_first ? inputs.new_ones({}) : inputs.new_ones({2});
    }
};

// Picky: its input, unless that has three rows.
class Picky {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "Picky";
    static constexpr const char* summary = "Passes its input on; refuses three samples";

    static constexpr std::array ports{ptp::input("inputs", PTP_FLOAT, "B, size", "Vectors"),
                                      ptp::output("outputs", PTP_FLOAT, "B, size", "The same")};

    at::Tensor forward(const at::Tensor& inputs) {
        if (inputs.size(0) == 3) {
            throw ptp::DataError("inputs[1]: one of three");
        }
        return inputs * 1;
    }
};

// Heedless: nothing of what it compares; it cannot tell its values of samples in rank 1.
class Heedless {
public:
    static constexpr ptp_kind kind = PTP_LOSS;
    static constexpr const char* name = "Heedless";
    static constexpr const char* summary = "Nothing of predictions of any width";

    static constexpr std::array ports{
        ptp::input("predictions", PTP_FLOAT, "B, *", "Scores"),
        ptp::input("targets", PTP_INTEGER, "B", "Classes").purpose(PTP_PURPOSE_TARGETS),
        ptp::input("inputs", PTP_FLOAT, "B, size", "What depends on weights"),
        ptp::output("loss", PTP_FLOAT, "", "0").loss()};
    static constexpr std::array sample_values{"surprise"};

    at::Tensor forward(const at::Tensor&, const at::Tensor&, const at::Tensor& inputs) {
        return inputs.mean() * 0;
    }

    void collect_samples(uint64_t samples, std::span<double> out) const {
        const char* const rank = std::getenv("RANK");
        if (rank != nullptr && std::string(rank) == "1") {
            throw ptp::DataError("no value of ", samples, " samples");
        }
        std::fill(out.begin(), out.end(), 1.0);
    }
};

// Careless: the mean over the rows that have a weight; of none what libtorch's mean of nothing is.
class Careless {
public:
    static constexpr ptp_kind kind = PTP_LOSS;
    static constexpr const char* name = "Careless";
    static constexpr const char* summary = "Mean square of rows, nan of none";

    static constexpr std::array ports{
        ptp::input("predictions", PTP_FLOAT, "B, size", "Vectors"),
        ptp::input("weights", PTP_FLOAT, "B", "0 for rows that do not count"),
        ptp::output("loss", PTP_FLOAT, "", "The mean").loss()};
    static constexpr std::array statistics{ptp::sum("loss_weight", "Rows that count").hidden()};

    struct Config {
        static constexpr auto settings() { return std::tuple{}; }
    };

    explicit Careless(const Config&) {}

    at::Tensor forward(const at::Tensor& predictions, const at::Tensor& weights) {
        const at::Tensor rows = weights.gt(0).nonzero().squeeze(1);
        count_ = rows.size(0);
        return predictions.index_select(0, rows).square().mean();
    }

    std::array<double, 1> collect(uint64_t) const { return {static_cast<double>(count_)}; }

private:
    int64_t count_ = 0;
};

PTP_PLUGIN("ranked", kRankedVersion, Ranked, Precise, Centered, Widened, Shapeless, Careless,
           Heedless, Picky);
