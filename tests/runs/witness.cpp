// Witness: a model that writes down how it is run, a line for each forward pass, into
// <its name>.txt in the run's folder:
//
//   section set is_training episode training|evaluation gradients|constants scale count
//
// IndexWitness: a viewer that writes down which samples it sees, a line for each batch:
//
//   section epoch index index ...

#include <ptp/plugin.hpp>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <torch/nn/module.h>

#include <fstream>

class Witness {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "Witness";
    static constexpr const char* summary = "Scales its input, and writes down how it is run";
    static constexpr const char* description =
        "outputs = scale * inputs. Like a batch normalisation it has a buffer that changes in "
        "training mode only: count, the number of its forward passes.";

    static constexpr std::array ports{ptp::input("inputs", PTP_FLOAT, "B, width", "Vectors"),
                                      ptp::output("outputs", PTP_FLOAT, "B, width", "Scaled")};

    explicit Witness(ptp::Setup& setup)
        : scale_(net_->register_parameter("scale", at::ones({1}))),
          count_(net_->register_buffer("count", at::zeros({1}))),
          lines_(setup.run_folder() / (setup.name() + ".txt")) {}

    at::Tensor forward(const at::Tensor& inputs, const ptp::Step& step) {
        if (net_->is_training()) {
            count_.add_(1);
        }
        lines_ << step.section() << ' ' << step.set() << ' ' << step.is_training() << ' '
               << step.episode() << (net_->is_training() ? " training" : " evaluation")
               << (at::GradMode::is_enabled() ? " gradients " : " constants ") << std::hexfloat
               << scale_.item<float>() << ' ' << count_.item<float>() << std::endl;
        return inputs * scale_;
    }

    torch::nn::Module& module() { return *net_; }

private:
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    at::Tensor scale_;
    at::Tensor count_;
    std::ofstream lines_;
};

class IndexWitness {
public:
    static constexpr ptp_kind kind = PTP_VIEWER;
    static constexpr const char* name = "IndexWitness";
    static constexpr const char* summary = "Writes down which samples it sees";

    static constexpr std::array ports{
        ptp::input("indices", PTP_INTEGER, "B", "Indices of the samples")};

    explicit IndexWitness(ptp::Setup& setup)
        : lines_(setup.run_folder() / (setup.name() + ".txt")) {}

    void forward(const at::Tensor& indices, const ptp::Step& step) {
        lines_ << step.section() << ' ' << step.epoch();
        const at::Tensor on_cpu = indices.cpu();
        for (int64_t i = 0; i < on_cpu.size(0); ++i) {
            lines_ << ' ' << on_cpu.data_ptr<int64_t>()[i];
        }
        lines_ << std::endl;
    }

private:
    std::ofstream lines_;
};

PTP_PLUGIN("witness", "0.1.0", Witness, IndexWitness);
