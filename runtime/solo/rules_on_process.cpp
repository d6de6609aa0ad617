// The rules on what a component shares with others and leaves behind: calls on two threads,
// generators of the process, files outside the run folder, and changes of the process.

#include "base/explanation.hpp"
#include "base/text.hpp"
#include "engine/component/compat.hpp"
#include "engine/component/crash.hpp"
#include "solo/rule.hpp"

#include <ptp/ext/samples.h>

#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/GradMode.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <array>
#include <clocale>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace ptp::solo {

namespace {

constexpr std::uint64_t kBatches = 8;  // for each thread
constexpr int kRounds = 16;

// The batches of a thread, each in its own frame.
class Share {
public:
    Share(LoneTrial& trial, std::uint64_t first) {
        for (std::uint64_t i = 0; i < kBatches; ++i) {
            steps_.push_back({.number = first + i});
            frames_.push_back(std::make_unique<Frame>(trial.plan()));
            trial.prepare(steps_.back(), *frames_.back());
        }
    }

    // Calls the component of the same or of another trial. Returns why a call fails; "" if none
    // does.
    std::string run(LoneTrial& trial, Outcomes& outcomes) {
        const c10::AutoGradMode without_gradients(false);
        try {
            for (std::size_t i = 0; i < steps_.size(); ++i) {
                for (const pipeline::Binding& output : trial.instance().node().outputs) {
                    if (output.stream >= 0) {
                        (*frames_[i])[output.stream].clear();
                    }
                }
                trial.call(steps_[i], *frames_[i]);
                append(outcomes, trial.outputs(*frames_[i]));
            }
        } catch (const std::exception& error) {
            return explanation_of(error).reason;
        }
        return "";
    }

private:
    std::vector<LoneStep> steps_;
    std::vector<std::unique_ptr<Frame>> frames_;
};

// Runs a share on this thread, and another one on a second thread, which may call another trial.
// Returns a problem of a call, or the difference from what is expected; "" if there is none.
std::string problem_together(std::array<Share, 2>& shares, LoneTrial& trial, LoneTrial& other,
                             const std::array<Outcomes, 2>& expected) {
    std::array<Outcomes, 2> found;
    std::array<std::string, 2> problems;
    std::thread thread([&] {
        engine::prepare_thread_for_crash();
        problems[1] = shares[1].run(other, found[1]);
    });
    problems[0] = shares[0].run(trial, found[0]);
    thread.join();
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const std::string what = first_difference(expected[i], found[i]);
        if (!problems[i].empty() || !what.empty()) {
            return !problems[i].empty() ? problems[i] : what + " differs from that of one thread";
        }
    }
    return "";
}

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
    const at::Generator& generator = engine::compat::default_generator(at::kCPU);
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

namespace fs = std::filesystem;

// Adds everything in the folder of the trial that is neither the run folder nor in it.
void add_stray_paths(const fs::path& folder, const fs::path& run_folder,
                     std::set<fs::path>& stray) {
    for (auto entry = fs::recursive_directory_iterator(folder);
         entry != fs::recursive_directory_iterator(); ++entry) {
        if (entry->path() == run_folder) {
            entry.disable_recursion_pending();
        } else {
            stray.insert(entry->path());
        }
    }
}

// Lists what a component has written outside of its run folder.
std::string stray_text(const std::set<fs::path>& stray, const fs::path& current) {
    constexpr std::size_t kMaxShown = 8;
    const auto named = [&](const fs::path& path, const char* preposition) {
        const fs::path name = path.lexically_relative(current);
        return *name.begin() == ".."
                   ? path.string()
                   : fmt::format("'{}' {} the current folder", name.string(), preposition);
    };
    if (stray.size() == 1) {
        return "writes " + named(*stray.begin(), "to");
    }
    std::vector<std::string> shown;
    for (const fs::path& path : stray) {
        if (shown.size() < kMaxShown) {
            shown.push_back(named(path, "in"));
        }
    }
    const std::size_t more = stray.size() - shown.size();
    return fmt::format("writes {} files outside the run folder: {}{}", stray.size(),
                       join(shown, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

// Calls a concurrent task, or a transform of samples, on two threads: with one instance for both,
// and with one for each.
RuleResult check_threads(const RuleContext& context) {
    const auto alone = context.new_trial("alone");
    if (!claims_threads(alone->instance())) {
        return rule_skipped();
    }
    const auto together = context.new_trial("together");
    std::array<Share, 2> shares{Share(*alone, 0), Share(*alone, kBatches)};
    std::array<Outcomes, 2> expected;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        if (const auto problem = shares[i].run(*alone, expected[i]); !problem.empty()) {
            return rule_skipped(problem);
        }
    }
    for (int round = 0; round < kRounds; ++round) {
        const bool is_one = round % 2 == 0;
        const std::string what =
            is_one ? "two threads with one instance" : "two threads with an instance each";
        context.step(what);
        const std::string problem =
            problem_together(shares, *alone, is_one ? *alone : *together, expected);
        if (!problem.empty()) {
            return rule_failed(fmt::format("{}: {}", what, problem));
        }
    }
    return {};
}

// Compares the generators of the C library, and libtorch's own, which is replaced by the
// component's except in fetch() and transform().
RuleResult check_shared_generators(const RuleContext& context) {
    const auto trial = context.new_trial("trial");
    for (const bool is_training : {true, false}) {
        const std::string name = changed_generator(*trial, {.is_training = is_training});
        if (!name.empty()) {
            return rule_failed(fmt::format("draws from {}", name));
        }
    }
    return {};
}

// Runs it from its creation to its end in an empty current folder. Only the folder of the trial is
// compared; writes to other places are not seen.
RuleResult check_writes(const RuleContext& context) {
    const fs::path current = context.folder / "current";
    const fs::path run_folder = context.folder / "run";
    fs::create_directories(current);
    fs::create_directories(run_folder);
    fs::current_path(current);
    std::set<fs::path> stray;
    auto trial = context.new_trial("run");
    trial->live();
    static_cast<void>(trial->save());
    add_stray_paths(context.folder, run_folder, stray);  // it may remove them in its destructor
    trial.reset();
    add_stray_paths(context.folder, run_folder, stray);
    stray.erase(current);
    return stray.empty() ? RuleResult{} : rule_failed(stray_text(stray, current));
}

// Saves the state of the whole process that a plugin must not change permanently, because the host
// and other plugins depend on it to parse numbers, open relative paths and create files: the
// locale, the current folder, the umask, the signal handlers and whether the standard streams are
// open. The umask can only be read by setting it: for a moment, files that other threads create get
// the strictest one. Takes some microseconds. [main]
class ProcessState {
public:
    ProcessState() {
        for (int signal = 1; signal < kSignals; ++signal) {
            handlers_[static_cast<std::size_t>(signal)] = handler_of(signal);
        }
        for (int stream = 0; stream < kStreams; ++stream) {
            are_open_[static_cast<std::size_t>(stream)] = is_stream_open(stream);
        }
    }

    // Returns the differences for a message: "the locale (now de_DE.UTF-8)"; "" if there are none.
    [[nodiscard]] std::string change() const {
        if (const std::string locale = locale_now(); locale != locale_) {
            return fmt::format("the locale (now {})", locale);
        }
        if (const fs::path folder = folder_now(); folder != folder_) {
            return fmt::format("the current folder (now {})", folder.string());
        }
        if (const mode_t mask = mask_now(); mask != mask_) {
            return fmt::format("the permissions of new files (the mask is now {:03o})", mask);
        }
        for (int signal = 1; signal < kSignals; ++signal) {
            if (!is_same_handler(handler_of(signal), handlers_[static_cast<std::size_t>(signal)])) {
                return fmt::format("what happens at the signal SIG{}", ::sigabbrev_np(signal));
            }
        }
        for (int stream = 0; stream < kStreams; ++stream) {
            if (is_stream_open(stream) != are_open_[static_cast<std::size_t>(stream)]) {
                constexpr std::array kNames = {"input", "output", "error"};
                return fmt::format("whether the standard {} is open",
                                   kNames[static_cast<std::size_t>(stream)]);
            }
        }
        return "";
    }

    // Restores everything except closed streams.
    void restore() const {
        std::setlocale(LC_ALL, locale_.c_str());
        std::error_code removed;
        fs::current_path(folder_, removed);
        ::umask(mask_);
        for (int signal = 1; signal < kSignals; ++signal) {
            ::sigaction(signal, &handlers_[static_cast<std::size_t>(signal)], nullptr);
        }
    }

private:
    static constexpr int kSignals = 32;
    static constexpr int kStreams = 3;

    static std::string locale_now() {
        const char* name = std::setlocale(LC_ALL, nullptr);
        return name == nullptr ? "" : name;
    }
    static fs::path folder_now() {
        std::error_code removed;
        return fs::current_path(removed);
    }
    static mode_t mask_now() {
        constexpr mode_t kStrictest = 0077;
        const mode_t mask = ::umask(kStrictest);
        ::umask(mask);
        return mask;
    }
    static struct sigaction handler_of(int signal) {
        struct sigaction action {};
        ::sigaction(signal, nullptr, &action);
        return action;
    }
    static bool is_same_handler(const struct sigaction& left, const struct sigaction& right) {
        return left.sa_handler == right.sa_handler && left.sa_flags == right.sa_flags;
    }
    static bool is_stream_open(int stream) { return ::fcntl(stream, F_GETFD) != -1; }

    std::string locale_ = locale_now();
    fs::path folder_ = folder_now();  // empty if it was removed
    mode_t mask_ = mask_now();
    std::array<struct sigaction, kSignals> handlers_{};
    std::array<bool, kStreams> are_open_{};
};

// Checks whether process-wide state is unchanged after each part of its life.
RuleResult check_process_state(const RuleContext& context) {
    const ProcessState before;
    const auto left_by = [&](const char* what) {
        const std::string change = before.change();
        before.restore();
        return rule_failed(fmt::format("{} changes {} and does not put it back", what, change));
    };
    auto trial = context.new_trial("run");
    if (!before.change().empty()) {
        return left_by("create()");
    }
    trial->live();
    static_cast<void>(trial->save());
    if (!before.change().empty()) {
        return left_by("what it does in a step");
    }
    trial.reset();
    if (!before.change().empty()) {
        return left_by("destroy()");
    }
    return {};
}

}  // namespace

std::vector<ComponentRule> rules_on_process() {
    const auto may_claim_threads = [](const plugin::Component& component) {
        return component.kind == plugin::Kind::kTask || may_have(component, PTP_EXTENSION_SAMPLES);
    };
    return {{RuleId::kThreads, check_threads, may_claim_threads},
            {RuleId::kSharedGenerators, check_shared_generators},
            {RuleId::kWrites, check_writes},
            {RuleId::kProcessState, check_process_state}};
}

}  // namespace ptp::solo
