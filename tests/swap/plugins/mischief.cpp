// A small pipeline: a task, a model with dropout and batch normalization, a loss and a statistic.
// It is built into many plugins of one name, and each does one thing wrong.

#include <ptp/ext/draft/migrate.h>
#include <ptp/ext/state.h>
#include <ptp/plugin.hpp>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/rand.h>
#include <c10/core/DefaultDtype.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <unistd.h>

#include <cfenv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>

// What the plugin does wrong; see word.c.
extern "C" const char* const ptp_test_mischief;  // NOLINT(readability-identifier-naming): of C

namespace {

bool does(const char* mischief) {
    return std::strcmp(ptp_test_mischief, mischief) == 0;
}

[[noreturn]] void hang() {
    for (;;) {
        ::pause();
    }
}

// Blocks all signals, so that the process does not end itself at a time limit.
void be_deaf() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

const bool kIsLoaded = [] {
    if (does("rounds_when_loaded")) {
        std::fesetround(FE_UPWARD);
    } else if (does("sets_type_when_loaded")) {
        c10::set_default_dtype(caffe2::TypeMeta::Make<double>());
    } else if (does("crashes_when_loaded")) {
        ::raise(SIGSEGV);
    } else if (does("hangs_when_loaded")) {
        hang();
    } else if (does("exits_when_loaded")) {
        ::_exit(0);
    }
    return true;
}();

// What is wrong for everybody in the process.
void meddle() {
    if (does("rounds_in_create")) {
        std::fesetround(FE_DOWNWARD);
    } else if (does("sets_type")) {
        c10::set_default_dtype(caffe2::TypeMeta::Make<double>());
    } else if (does("sets_threads")) {
        at::set_num_threads(at::get_num_threads() + 1);
    } else if (does("sets_deterministic")) {
        at::globalContext().setDeterministicAlgorithms(true, false);
    } else if (does("stops_gradients")) {
        c10::GradMode::set_enabled(false);
    } else if (does("seeds")) {
        at::manual_seed(1);
    }
}

void fail_to_be_made() {
    if (does("throws")) {
        throw std::runtime_error("there is no more room in the attic");
    }
    if (does("throws_of_torch")) {
        TORCH_CHECK(false, "no kernel fits these sizes");
    }
    if (does("draws_and_throws")) {
        at::rand({1000});
        throw std::runtime_error("after a thousand draws");
    }
    if (does("hangs_deaf")) {
        be_deaf();
    }
    if (does("hangs_in_create") || does("hangs_deaf")) {
        hang();
    }
    if (does("crashes_in_create")) {
        ::raise(SIGSEGV);
    }
    if (does("exits")) {
        std::exit(0);  // NOLINT: that is what it does wrong
    }
}

class Points {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "Points";
    static constexpr const char* summary = "Four numbers and one of three classes";
    static constexpr std::array ports{
        ptp::output("inputs", PTP_FLOAT, "B, 4", "Numbers"),
        ptp::output("targets", PTP_INTEGER, "B", "Classes").purpose(PTP_PURPOSE_TARGETS)};

    int64_t size() const { return does("other_size") ? 4001 : 4000; }

    std::tuple<at::Tensor, int64_t> sample(int64_t index, ptp::Random&) {
        const auto number = static_cast<float>(index % 17);
        const int64_t target = index % 3;
        const auto shift = static_cast<float>(target);
        return {at::tensor({number / 16, shift + number / 32, shift - 1, number / 8 - shift}),
                target};
    }
};

class Net {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "Net";
    static constexpr const char* summary = "Two linear layers";
    static constexpr std::array ports{ptp::input("inputs", PTP_FLOAT, "B, 4", "Numbers"),
                                      ptp::output("predictions", PTP_FLOAT, "B, 3", "Scores")};
    static constexpr std::array globals{ptp::publishes("hidden_size", "Width of the hidden layer")};

    struct Config {
        int64_t hidden = 8;
        double dropout = 0.25;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("hidden", &Config::hidden,
                             {.help = "Width of the hidden layer", .range = "[1, 64]"}),
                ptp::setting("dropout", &Config::dropout,
                             {.help = "Chance of dropping a unit", .range = "[0, 1)"})};
        }
    };

    Net(const Config& config, ptp::Setup& setup)
        : first_(4, width(config)),
          norm_(width(config)),
          dropout_(config.dropout),
          second_(torch::nn::LinearOptions(width(config), 3).bias(!does("loses_parameter"))) {
        setup.publish("hidden_size", config.hidden + (does("publishes_otherwise") ? 1 : 0));
        fail_to_be_made();
        net_->register_module("first", first_);
        net_->register_module("norm", norm_);
        net_->register_module("dropout", dropout_);
        net_->register_module("second", second_);
        meddle();
    }

    at::Tensor forward(const at::Tensor& inputs) {
        ++steps_;
        misbehave();
        at::Tensor hidden = dropout_->forward(norm_->forward(first_->forward(inputs)).relu());
        return spoil(second_->forward(hidden));
    }

    static constexpr uint32_t state_version = 2;
    ptp::Data export_state() const { return steps_; }
    void import_state(uint32_t, const ptp::Data& state) {
        if (does("throws_in_import")) {
            throw ptp::DataError("cannot count so far");
        }
        steps_ = state.as_integer();
    }

    void migrate(const ptp::OldTensors& old) {
        old.at("first.scale");  // There is none.
    }

    torch::nn::Module& module() { return *net_; }

private:
    static int64_t width(const Config& config) {
        const bool is_wider = does("is_wider") || does("throws_in_migrate");
        return config.hidden + (is_wider ? 1 : 0);
    }

    static void misbehave() {
        if (does("throws_in_forward")) {
            throw std::runtime_error("the attic is empty");
        }
        if (does("rounds_in_forward")) {
            std::fesetround(FE_TOWARDZERO);
        }
        if (does("hangs_in_forward")) {
            hang();
        }
        if (does("crashes_in_forward")) {
            ::raise(SIGSEGV);
        }
    }

    at::Tensor spoil(const at::Tensor& scores) {
        if (does("is_nan")) {
            return scores / 0 * 0;
        }
        if (does("has_infinite_gradients")) {
            const at::Tensor sum = first_->bias.sum();
            return scores + (sum - sum.detach()).sqrt();
        }
        if (does("has_wrong_shape")) {
            return scores.slice(1, 0, 2);
        }
        if (does("has_wrong_type")) {
            return scores.to(at::kLong);
        }
        if (does("writes_nothing")) {
            return {};
        }
        if (does("is_detached")) {
            return scores.detach();
        }
        return does("is_scaled") ? scores * 1.0001 : scores;
    }

    int64_t steps_ = 0;
    torch::nn::Linear first_;
    torch::nn::BatchNorm1d norm_;
    torch::nn::Dropout dropout_;
    torch::nn::Linear second_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
};

class Loss {
public:
    static constexpr ptp_kind kind = PTP_LOSS;
    static constexpr const char* name = "Loss";
    static constexpr const char* summary = "Cross entropy";
    static constexpr std::array ports{
        ptp::input("targets", PTP_INTEGER, "B", "Classes").purpose(PTP_PURPOSE_TARGETS),
        ptp::input("predictions", PTP_FLOAT, "B, 3", "Scores"),
        ptp::output("loss", PTP_FLOAT, "", "Mean").loss()};

    at::Tensor forward(const at::Tensor& targets, const at::Tensor& predictions) {
        return at::cross_entropy_loss(predictions, targets);
    }
};

class Hits {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "Hits";
    static constexpr const char* summary = "How many predictions are right";
    static constexpr std::array ports{
        ptp::input("targets", PTP_INTEGER, "B", "Classes").purpose(PTP_PURPOSE_TARGETS),
        ptp::input("predictions", PTP_FLOAT, "B, 3", "Scores")};
    static constexpr std::array statistics{ptp::computed("hits", "Right predictions").integer()};

    void forward(const at::Tensor& targets, const at::Tensor& predictions, const ptp::Step& step) {
        last_ = predictions.argmax(1).eq(targets).sum().item<int64_t>();
        counts_[step.set()] += last_;
    }

    std::array<double, 1> collect(uint64_t) const { return {static_cast<double>(last_)}; }
    std::array<double, 1> aggregate(uint64_t set) {
        if (does("throws_in_aggregate")) {
            throw std::runtime_error("has lost count");
        }
        return {static_cast<double>(counts_[set])};
    }
    void reset(uint64_t set) { counts_[set] = 0; }

    static constexpr uint32_t state_version = 1;
    ptp::Data export_state() const {
        ptp::Data::List counts;
        for (const auto& [set, count] : counts_) {
            counts.push_back(ptp::Data::List{set, count});
        }
        return counts;
    }
    void import_state(uint32_t, const ptp::Data& state) {
        counts_.clear();
        for (const ptp::Data& count : state.as_list()) {
            counts_[static_cast<uint64_t>(count.as_list().at(0).as_integer())] =
                count.as_list().at(1).as_integer();
        }
    }

private:
    int64_t last_ = 0;
    std::map<uint64_t, int64_t> counts_;
};

// What the SDK would not let through is done below it.

ptp_status create_net(const ptp_host* host, const ptp_setup* setup, void** out) {
    if (does("fails_silently")) {
        return PTP_ERROR_INTERNAL;
    }
    if (does("gives_nothing")) {
        return PTP_OK;
    }
    if (does("throws_through")) {
        throw 7;  // NOLINT: of a type that nobody expects
    }
    return ptp::component<Net>().create(host, setup, out);
}

const void* net_ability(const char* id) {
    const void* ability = ptp::component<Net>().extension(id);
    if (std::strcmp(id, PTP_EXTENSION_MIGRATE) == 0) {
        return does("throws_in_migrate") ? ability : nullptr;
    }
    if (std::strcmp(id, PTP_EXTENSION_STATE) == 0 && does("has_no_state")) {
        return nullptr;
    }
    if (std::strcmp(id, PTP_EXTENSION_STATE) == 0 && does("has_older_state")) {
        static const ptp_state older = [&] {
            ptp_state state = *static_cast<const ptp_state*>(ability);
            state.version = 1;
            return state;
        }();
        return &older;
    }
    return ability;
}

const ptp_component_info* mischievous_net() {
    static const ptp_component_info net = [] {
        ptp_component_info info = ptp::component<Net>();
        info.create = create_net;
        info.extension = net_ability;
        return info;
    }();
    return &net;
}

const void* hits_ability(const char* id) {
    const bool forgets = does("forgets_counts") && std::strcmp(id, PTP_EXTENSION_STATE) == 0;
    return forgets ? nullptr : ptp::component<Hits>().extension(id);
}

const ptp_component_info* mischievous_hits() {
    static const ptp_component_info hits = [] {
        ptp_component_info info = ptp::component<Hits>();
        info.extension = hits_ability;
        return info;
    }();
    return &hits;
}

}  // namespace

const ptp_plugin_info* ptp_plugin_entry(void) {
    static const std::array components{&ptp::component<Points>(), mischievous_net(),
                                       &ptp::component<Loss>(), mischievous_hits()};
    static const ptp_plugin_info info{.abi_major = PTP_ABI_MAJOR,
                                      .abi_minor = PTP_ABI_MINOR,
                                      .struct_size = sizeof(ptp_plugin_info),
                                      .component_count = components.size(),
                                      .name = "mischief",
                                      .version = "0.1.0",
                                      .build = &ptp::detail::kBuild,
                                      .components = components.data(),
                                      .license = nullptr,
                                      .author = nullptr,
                                      .homepage = nullptr};
    return &info;
}
