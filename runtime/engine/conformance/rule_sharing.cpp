#include "engine/conformance/rule_sharing.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "engine/component/compat.hpp"
#include "engine/component/crash.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace ptp::engine {

namespace {

constexpr std::uint64_t kBatches = 8;  // for each thread
constexpr int kRounds = 16;

// The batches of a thread, each in its own frame.
class Share {
public:
    Share(LoneTrial& trial, std::uint64_t first) : trial_(trial) {
        for (std::uint64_t i = 0; i < kBatches; ++i) {
            steps_.push_back({.number = first + i});
            frames_.push_back(std::make_unique<Frame>(trial.plan()));
            trial.prepare(steps_.back(), *frames_.back());
        }
    }

    // Calls the component of the same or of another trial.
    void run(LoneTrial& trial) {
        outcomes_.clear();
        problem_.clear();
        const c10::AutoGradMode without_gradients(false);
        try {
            for (std::size_t i = 0; i < steps_.size(); ++i) {
                clear_outputs(*frames_[i]);
                trial.call(steps_[i], *frames_[i]);
                append(outcomes_, trial.outputs(*frames_[i]));
            }
        } catch (const std::exception& error) {
            problem_ = explanation_of(error).reason;
        }
    }

    [[nodiscard]] const std::vector<Outcome>& outcomes() const { return outcomes_; }
    [[nodiscard]] const std::string& problem() const { return problem_; }

private:
    void clear_outputs(Frame& frame) const {
        for (const pipeline::Binding& output : trial_.instance().node().outputs) {
            if (output.stream >= 0) {
                frame[output.stream].clear();
            }
        }
    }

    LoneTrial& trial_;
    std::vector<LoneStep> steps_;
    std::vector<std::unique_ptr<Frame>> frames_;
    std::vector<Outcome> outcomes_;
    std::string problem_;
};

// Runs the same batches on one thread and then on two.
class TwoThreads {
public:
    explicit TwoThreads(LoneTrial& trial)
        : trial_(trial), shares_{Share(trial, 0), Share(trial, kBatches)} {}

    // Determines the expected values. Returns why they cannot be known; "" if they are.
    std::string run_one_by_one() {
        for (std::size_t i = 0; i < shares_.size(); ++i) {
            shares_[i].run(trial_);
            if (!shares_[i].problem().empty()) {
                return shares_[i].problem();
            }
            expected_[i] = shares_[i].outcomes();
        }
        return "";
    }

    // The second thread calls `other`, which may be the same trial.
    void run_together(LoneTrial& other) {
        std::thread thread([&] {
            prepare_thread_for_crash();
            shares_[1].run(other);
        });
        shares_[0].run(trial_);
        thread.join();
    }

    // Returns the difference from the expected values; "" if there is none.
    [[nodiscard]] std::string difference() const {
        for (std::size_t i = 0; i < shares_.size(); ++i) {
            if (!shares_[i].problem().empty()) {
                return shares_[i].problem();
            }
            const std::string what = first_difference(expected_[i], shares_[i].outcomes());
            if (!what.empty()) {
                return what + " differs from that of one thread";
            }
        }
        return "";
    }

private:
    LoneTrial& trial_;
    std::array<Share, 2> shares_;
    std::array<std::vector<Outcome>, 2> expected_;
};

bool claims_threads(const Instance& instance) {
    return instance.node().section.empty() ? instance.may_run_in_loaders()
                                           : instance.is_concurrent();
}

struct SharedSource {
    const char* name;
    std::uint64_t (*draw)();
    void (*seed)();
};

constexpr unsigned kSeed = 20240607;

// Process-wide generators of the C library.
constexpr std::array<SharedSource, 2> kSources = {{
    {"rand()", [] { return static_cast<std::uint64_t>(std::rand()); },  // NOLINT
     [] { std::srand(kSeed); }},
    {"drand48()", [] { return static_cast<std::uint64_t>(::lrand48()); }, [] { ::srand48(kSeed); }},
}};

// Returns the bits of libtorch's process-wide generator.
std::string libtorch_bits() {
    const at::Generator& generator = compat::default_generator(at::kCPU);
    return bits_of(generator.get_state());
}

// Returns the name of a generator that the call of a step has changed; "" if there is none.
std::string changed_generator(LoneTrial& trial, const LoneStep& step) {
    trial.prepare(step);
    const std::string before = libtorch_bits();
    for (const SharedSource& source : kSources) {
        source.seed();
    }
    trial.call(step);
    std::string changed = libtorch_bits() == before ? "" : "libtorch's generator of the process";
    for (const SharedSource& source : kSources) {
        const std::uint64_t drawn = source.draw();
        source.seed();
        if (drawn != source.draw()) {
            changed = source.name;
        }
    }
    return changed;
}

}  // namespace

RuleResult check_threads(const RuleContext& context) {
    const auto alone = context.new_trial("alone");
    if (!claims_threads(alone->instance())) {
        return rule_skipped();
    }
    const auto together = context.new_trial("together");
    TwoThreads threads(*alone);
    if (const std::string problem = threads.run_one_by_one(); !problem.empty()) {
        return rule_skipped(problem);
    }
    for (int round = 0; round < kRounds; ++round) {
        const bool is_one_instance = round % 2 == 0;
        const std::string what =
            is_one_instance ? "two threads with one instance" : "two threads with an instance each";
        context.step(what);
        threads.run_together(is_one_instance ? *alone : *together);
        if (const std::string problem = threads.difference(); !problem.empty()) {
            return rule_failed(fmt::format("{}: {}", what, problem));
        }
    }
    return {};
}

RuleResult check_shared_generators(const RuleContext& context) {
    const auto trial = context.new_trial("trial");
    trial->begin_set();
    for (const bool is_training : {true, false}) {
        const std::string name = changed_generator(*trial, {.is_training = is_training});
        if (!name.empty()) {
            return rule_failed(fmt::format("draws from {}", name));
        }
    }
    return {};
}

}  // namespace ptp::engine
