// Witness: a model that writes down how it is run, a line for each forward pass, into
// <its name>.txt in the run's folder:
//
//   section set is_training episode training|evaluation gradients|constants scale count
//
// IndexWitness: a viewer that writes down which samples it sees, a line for each batch:
//
//   section epoch index index ...
//
// Counted: a task whose state is how often it was asked for a batch, and that can send SIGTERM to
// its process when it was so often.
//
// Spoiler: a model that makes some episodes go wrong, or finds no memory in them.

#include <ptp/plugin.hpp>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>
#include <torch/nn/module.h>

#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <vector>

class Witness {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "Witness";
    static constexpr const char* summary = "Scales its input, and writes down how it is run";
    static constexpr const char* description =
        "outputs = scale * inputs. Like a batch normalization it has a buffer that changes in "
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

class Counted {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "Counted";
    static constexpr const char* summary = "Counts the batches that it gave";

    static constexpr std::array ports{
        ptp::output("inputs", PTP_FLOAT, "B, 4", "Functions of the index"),
        ptp::output("targets", PTP_INTEGER, "B", "The index modulo 4")
            .purpose(PTP_PURPOSE_TARGETS)};
    static constexpr std::array globals{
        ptp::publishes("num_classes", "Classes").purpose(PTP_PURPOSE_CLASS_COUNT).value("4")};

    struct Config {
        int64_t interrupt_at = 0;
        static constexpr auto settings() {
            return std::tuple{ptp::setting(
                "interrupt_at", &Config::interrupt_at,
                {.help = "Sends SIGTERM with this batch; once in a run", .range = "[0, inf)"})};
        }
    };

    Counted(const Config& config, ptp::Setup& setup)
        : interrupt_at_(config.interrupt_at), mark_(setup.run_folder() / "interrupted") {
        setup.publish("num_classes", 4);
    }

    int64_t size() const { return 44; }

    std::tuple<at::Tensor, at::Tensor> fetch(const ptp::Fetch& fetch) {
        if (++count_ == interrupt_at_ && !std::filesystem::exists(mark_)) {
            std::ofstream(mark_) << "";
            kill(getpid(), SIGTERM);
        }
        const auto count = static_cast<int64_t>(fetch.size());
        at::Tensor inputs = at::zeros({count, 4});
        at::Tensor targets = at::zeros({count}, at::TensorOptions(at::kLong));
        for (int64_t i = 0; i < count; ++i) {
            const int64_t index = fetch.indices()[static_cast<size_t>(i)];
            targets[i] = index % 4;
            inputs[i][index % 4] = 1 + static_cast<double>(index) / 44;
        }
        return {inputs, targets};
    }

    static constexpr uint32_t state_version = 1;
    ptp::Data export_state() const { return count_; }
    void import_state(uint32_t, const ptp::Data& state) { count_ = state.as_integer(); }

private:
    int64_t interrupt_at_;
    std::filesystem::path mark_;
    int64_t count_ = 0;
};

class Spoiler {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "Spoiler";
    static constexpr const char* summary = "Gives bad losses, or bad gradients, when it is told to";
    static constexpr const char* description =
        "outputs = inputs, but nan in bad episodes. Like a batch normalization it has a buffer; "
        "its outputs are added to it while training, and it spoils evaluation once it is nan.";

    static constexpr std::array ports{ptp::input("inputs", PTP_FLOAT, "B, width", "Vectors"),
                                      ptp::output("outputs", PTP_FLOAT, "B, width", "The same")};

    struct Config {
        std::vector<int64_t> bad_losses;
        std::vector<int64_t> bad_gradients;
        std::vector<int64_t> no_memory;
        std::vector<int64_t> no_memory_backward;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("bad_losses", &Config::bad_losses, {.help = "Episodes"}),
                ptp::setting("bad_gradients", &Config::bad_gradients, {.help = "Episodes"}),
                ptp::setting("no_memory", &Config::no_memory, {.help = "Episodes; once in a run"}),
                ptp::setting("no_memory_backward", &Config::no_memory_backward,
                             {.help = "Episodes; once in a run"})};
        }
    };

    Spoiler(const Config& config, ptp::Setup& setup)
        : config_(config),
          mark_(setup.run_folder() / "refused"),
          scale_(net_->register_parameter("scale", at::ones({1}))),
          seen_(net_->register_buffer("seen", at::zeros({1}))) {}

    at::Tensor forward(const at::Tensor& inputs, const ptp::Step& step) {
        if (!net_->is_training()) {
            return inputs + 0 * seen_;
        }
        at::Tensor outputs = inputs;
        if (is_in(config_.no_memory, step)) {
            refuse_memory(inputs);
        }
        if (is_in(config_.no_memory_backward, step)) {
            outputs = inputs + 0 * scale_;
            outputs.register_hook([this](const at::Tensor& gradient) { refuse_memory(gradient); });
        }
        if (is_in(config_.bad_losses, step)) {
            outputs = inputs * std::numeric_limits<float>::quiet_NaN();
        }
        if (is_in(config_.bad_gradients, step)) {
            outputs = inputs + (0 * scale_).sqrt();  // 0, with a slope of 0 * infinity
        }
        seen_.add_(outputs.detach().mean());
        return outputs;
    }

    torch::nn::Module& module() { return *net_; }

private:
    static bool is_in(const std::vector<int64_t>& episodes, const ptp::Step& step) {
        return std::ranges::find(episodes, static_cast<int64_t>(step.episode())) != episodes.end();
    }

    // As CUDA's allocator reports it, and by it where there is a device; not again after a resume.
    void refuse_memory(const at::Tensor& like) const {
        if (!std::filesystem::exists(mark_)) {
            std::ofstream(mark_) << "";
            if (like.is_cuda()) {
                constexpr int64_t kTebibyte = int64_t{1} << 40;
                at::empty({4 * kTebibyte}, like.options().dtype(at::kByte));
            }
            C10_THROW_ERROR(
                OutOfMemoryError,
                "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 15.77 GiB total "
                "capacity; 13.02 GiB already allocated; 1.31 GiB free)");
        }
    }

    Config config_;
    std::filesystem::path mark_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    at::Tensor scale_;
    at::Tensor seen_;
};

PTP_PLUGIN("witness", "0.1.0", Witness, IndexWitness, Counted, Spoiler);
