// Components for the tests of `ptp-inspect --check`: some that it objects to, each in the way that
// its summary says, and some that run only with what their author gives.

#include <ptp/plugin.hpp>

#include <ATen/ATen.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>

#include <filesystem>
#include <fstream>
#include <tuple>
#include <vector>

namespace {

// The declarations that most of them share.
template <ptp_kind Kind>
struct OfVectors {
    static constexpr ptp_kind kind = Kind;
    static constexpr std::array ports{ptp::input("inputs", PTP_FLOAT, "B, 4", "Vectors"),
                                      ptp::output("outputs", PTP_FLOAT, "B, 4", "Other vectors")};
};

class BareModel : public OfVectors<PTP_MODEL> {
public:
    static constexpr const char* name = "BareModel";
    static constexpr const char* summary = "Has a layer that it has not registered";

    at::Tensor forward(const at::Tensor& inputs) { return layer_(inputs); }
    torch::nn::Module& module() { return net_; }

private:
    torch::nn::Module net_;
    torch::nn::Linear layer_{torch::nn::Linear(4, 4)};
};

class HandMadeAverage : public OfVectors<PTP_TRANSFORM> {
public:
    static constexpr const char* name = "HandMadeAverage";
    static constexpr const char* summary = "Adds up in training what it takes away in evaluation";

    at::Tensor forward(const at::Tensor& inputs, const ptp::Step& step) {
        if (!step.is_training()) {
            return inputs - sum_;
        }
        sum_ += inputs.sum().item<double>();
        return inputs;
    }

private:
    double sum_ = 0;
};

class WrongShape : public OfVectors<PTP_TRANSFORM> {
public:
    static constexpr const char* name = "WrongShape";
    static constexpr const char* summary = "Gives a column less than it declares";

    at::Tensor forward(const at::Tensor& inputs) { return inputs.slice(1, 0, 3); }
};

at::Tensor trained() {
    return at::ones({4}, at::TensorOptions().requires_grad(true));
}

class ShuffledParameters : public OfVectors<PTP_MODEL> {
public:
    static constexpr const char* name = "ShuffledParameters";
    static constexpr const char* summary = "Has its parameters in another order in each instance";

    ShuffledParameters() {
        static int count = 0;
        const bool is_first = count++ % 2 == 0;
        net_.register_parameter(is_first ? "a" : "b", a_);
        net_.register_parameter(is_first ? "b" : "a", b_);
    }

    at::Tensor forward(const at::Tensor& inputs) { return inputs * a_ * b_; }
    torch::nn::Module& module() { return net_; }

private:
    torch::nn::Module net_;
    at::Tensor a_ = trained();
    at::Tensor b_ = trained();
};

class UnusedParameter : public OfVectors<PTP_MODEL> {
public:
    static constexpr const char* name = "UnusedParameter";
    static constexpr const char* summary = "Has a parameter that no output depends on";

    UnusedParameter() {
        net_.register_parameter("used", used_);
        net_.register_parameter("unused", trained());
    }

    at::Tensor forward(const at::Tensor& inputs) { return inputs * used_; }
    torch::nn::Module& module() { return net_; }

private:
    torch::nn::Module net_;
    at::Tensor used_ = trained();
};

class Detached : public OfVectors<PTP_MODEL> {
public:
    static constexpr const char* name = "Detached";
    static constexpr const char* summary = "Computes with its parameter without gradients";

    Detached() { net_.register_parameter("weight", weight_); }

    at::Tensor forward(const at::Tensor& inputs) { return inputs * weight_.detach(); }
    torch::nn::Module& module() { return net_; }

private:
    torch::nn::Module net_;
    at::Tensor weight_ = trained();
};

class KeepsPointer : public OfVectors<PTP_MODEL> {
public:
    static constexpr const char* name = "KeepsPointer";
    static constexpr const char* summary = "Computes with the memory that its parameter had first";

    KeepsPointer() { net_.register_parameter("weight", weight_); }

    at::Tensor forward(const at::Tensor& inputs) {
        const at::Tensor kept = at::from_blob(numbers_, {4});
        return inputs * (weight_ + (kept - weight_).detach());
    }
    torch::nn::Module& module() { return net_; }

private:
    torch::nn::Module net_;
    at::Tensor weight_ = trained();
    float* numbers_ = weight_.data_ptr<float>();
};

class DrawsInFetch {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "DrawsInFetch";
    static constexpr const char* summary = "Draws samples from what all threads draw from";
    static constexpr std::array ports{ptp::output("noise", PTP_FLOAT, "B", "Random numbers")};

    int64_t size() const { return 8; }

    at::Tensor fetch(const ptp::Fetch& fetch) const {
        return at::rand({static_cast<int64_t>(fetch.size())});
    }
};

class Locked : public OfVectors<PTP_TRANSFORM> {
public:
    static constexpr const char* name = "Locked";
    static constexpr const char* summary = "Runs only with one code, which is not documented";
    static constexpr std::array globals{ptp::reads("offset", "Is added")};

    struct Config {
        int64_t code = 0;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("code", &Config::code, {.help = "1234", .is_required = true})};
        }
    };

    Locked(const Config& config, ptp::Setup& setup) : offset_(setup.global<int64_t>("offset")) {
        if (config.code != 1234) {
            throw ptp::SettingError("code", "is wrong");
        }
    }

    at::Tensor forward(const at::Tensor& inputs) { return inputs + offset_; }

private:
    int64_t offset_;
};

class Numbers {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "Numbers";
    static constexpr const char* summary = "The numbers of a file";
    static constexpr std::array ports{
        ptp::output("numbers", PTP_FLOAT, "B", "One for each sample")};

    struct Config {
        std::filesystem::path file;

        static constexpr auto settings() {
            return std::tuple{ptp::setting("file", &Config::file,
                                           {.help = "A number in each line",
                                            .is_required = true,
                                            .obtain = "write a number into each line"})};
        }
    };

    explicit Numbers(const Config& config) {
        std::ifstream in(config.file);
        if (!in) {
            throw ptp::DataError(config.file, ": cannot be opened");
        }
        for (float number = 0; in >> number;) {
            numbers_.push_back(number);
        }
    }

    int64_t size() const { return static_cast<int64_t>(numbers_.size()); }

    at::Tensor fetch(const ptp::Fetch& fetch) const {
        at::Tensor numbers = at::empty({static_cast<int64_t>(fetch.size())});
        for (size_t i = 0; i < fetch.size(); ++i) {
            numbers.data_ptr<float>()[i] = numbers_[static_cast<size_t>(fetch.indices()[i])];
        }
        return numbers;
    }

private:
    std::vector<float> numbers_;
};

}  // namespace

PTP_PLUGIN("checked", "0.1.0", BareModel, Detached, DrawsInFetch, HandMadeAverage, KeepsPointer,
           Locked, Numbers, ShuffledParameters, UnusedParameter, WrongShape);
