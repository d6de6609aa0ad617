// Reads sections in waves of batches, each batch in a thread, and adds the batches in their order.

#include "engine/predict/predict.hpp"

#include "base/cores.hpp"
#include "base/error.hpp"
#include "base/sha256.hpp"
#include "base/temporary_path.hpp"
#include "engine/component/components.hpp"
#include "engine/component/loader_stage.hpp"
#include "engine/component/plugins.hpp"
#include "engine/data/batch_source.hpp"
#include "engine/data/loader_threads.hpp"
#include "engine/predict/evaluated.hpp"
#include "engine/predict/sample_versions.hpp"
#include "engine/predict/stream_tally.hpp"
#include "engine/train/failure.hpp"
#include "engine/train/process_setup.hpp"
#include "run/paths.hpp"

#include <ATen/Context.h>
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace ptp::engine {

namespace {

constexpr std::uint64_t kMaxReaders = 16;
constexpr std::size_t kBatchesOfReader = 4;  // in a wave
constexpr const char* kTrained = "training";

// The contribution of one batch.
struct BatchFacts {
    std::vector<StreamTally> tallies;
    std::vector<std::int64_t> indices;
    std::vector<SampleHash> hashes;
    std::vector<ShownSample> shown;
    std::vector<BrokenSample> broken;
    std::exception_ptr failure;
};

SampleHash hash_of(const std::string& content) {
    constexpr std::size_t kDigits = 16;
    constexpr int kHexadecimal = 16;
    const std::string digits = sha256(content);
    return {std::stoull(digits.substr(0, kDigits), nullptr, kHexadecimal),
            std::stoull(digits.substr(kDigits, kDigits), nullptr, kHexadecimal)};
}

// Returns at most `count` of them, evenly spaced, the first among them; all for 0.
std::vector<std::int64_t> spaced(const std::vector<std::int64_t>& all, std::uint64_t count) {
    if (count == 0 || count >= all.size()) {
        return all;
    }
    std::vector<std::int64_t> some;
    for (std::uint64_t i = 0; i < count; ++i) {
        some.push_back(all[i * all.size() / count]);
    }
    return some;
}

class SectionSurvey {
public:
    SectionSurvey(const DataRequest& request, const pipeline::Plan& plan, BatchSource& source)
        : request_(request), plan_(plan), source_(source), node_(source.task().node()) {
        const std::vector<std::int64_t> all = source.plan_pass(0, false).order;
        pass_.order = spaced(all, request.limit);
        if (request.shown > 0) {
            shown_ = spaced(pass_.order, request.shown);
            std::ranges::sort(shown_);
        }
        for (std::size_t i = 0; i < node_.outputs.size(); ++i) {
            const int stream = node_.outputs[i].stream;
            if (stream >= 0) {
                ports_.push_back(i);
                is_hashed_.push_back(contains(request.hashed, plan.stream(stream).name));
            }
        }
    }

    void run(SectionFacts& facts) {
        facts.samples = source_.plan_pass(0, false).order.size();
        facts.batch_size = static_cast<std::uint64_t>(source_.section().task.batch_size);
        std::vector<StreamTally> tallies = new_tallies();
        const std::uint64_t count = (pass_.order.size() + facts.batch_size - 1) / facts.batch_size;
        const std::uint64_t readers = reader_count(count);
        for (std::uint64_t first = 0; first < count; first += readers * kBatchesOfReader) {
            std::vector<BatchFacts> wave(
                std::min<std::uint64_t>(readers * kBatchesOfReader, count - first));
            read(wave, first, readers);
            for (BatchFacts& one : wave) {
                take(one, tallies, facts);
            }
        }
        facts.read = facts.indices.size();
        for (const StreamTally& tally : tallies) {
            facts.streams.push_back(tally.facts());
        }
    }

private:
    [[nodiscard]] std::uint64_t reader_count(std::uint64_t batches) const {
        const auto cores = static_cast<std::uint64_t>(std::thread::hardware_concurrency());
        return source_.task().is_concurrent() && !source_.task().has_state()
                   ? std::clamp<std::uint64_t>(batches, 1, std::min(kMaxReaders, cores + 1))
                   : 1;
    }

    [[nodiscard]] std::vector<StreamTally> new_tallies() const {
        std::vector<StreamTally> tallies;
        for (const std::size_t port : ports_) {
            const pipeline::Binding& output = node_.outputs[port];
            tallies.emplace_back(plan_.stream(output.stream), node_.port(output));
        }
        return tallies;
    }

    void read(std::vector<BatchFacts>& wave, std::uint64_t first, std::uint64_t readers) {
        std::atomic<std::size_t> next = 0;
        const auto work = [&] {
            for (std::size_t i = next++; i < wave.size(); i = next++) {
                try {
                    read(first + i, wave[i]);
                } catch (...) {
                    wave[i].failure = std::current_exception();
                }
            }
        };
        std::vector<std::jthread> others;
        for (std::uint64_t i = 1; i < readers; ++i) {
            others.emplace_back([&] {
                become_helper_thread("ptp-loader");
                work();
            });
        }
        work();
    }

    // [any] Reads a batch; if that fails because of the data, its samples one by one.
    void read(std::uint64_t number, BatchFacts& facts) {
        facts.tallies = new_tallies();
        try {
            return read(pass_, number, facts);
        } catch (const RunError& error) {
            if (error.code() != kDataError) {
                throw;
            }
        }
        facts.tallies = new_tallies();
        const std::uint64_t size = static_cast<std::uint64_t>(source_.section().task.batch_size);
        for (std::uint64_t i = number * size;
             i < std::min<std::uint64_t>((number + 1) * size, pass_.order.size()); ++i) {
            const PassPlan one{{pass_.order[i]}};
            try {
                read(one, 0, facts);
            } catch (const RunError& error) {
                if (error.code() != kDataError) {
                    throw;
                }
                facts.broken.push_back({pass_.order[i], error.what()});
            }
        }
    }

    void read(const PassPlan& pass, std::uint64_t number, BatchFacts& facts) {
        Batch batch = source_.new_batch();
        source_.fetch(pass, number, batch);
        for (std::size_t i = 0; i < ports_.size(); ++i) {
            facts.tallies[i].add(batch.slots[ports_[i]], batch.size);
        }
        std::string content;
        const std::int64_t* indices = batch.samples.indices.data_ptr<std::int64_t>();
        for (std::uint64_t sample = 0; sample < batch.size; ++sample) {
            facts.indices.push_back(indices[sample]);
            if (!request_.hashed.empty()) {
                facts.hashes.push_back(hash_sample(batch, sample, content));
            }
            if (std::ranges::binary_search(shown_, indices[sample])) {
                ShownSample& shown = facts.shown.emplace_back(indices[sample]);
                for (const std::size_t port : ports_) {
                    shown.values.push_back(shown_value(batch.slots[port], sample));
                }
            }
        }
    }

    SampleHash hash_sample(const Batch& batch, std::uint64_t sample, std::string& content) const {
        content.clear();
        for (std::size_t i = 0; i < ports_.size(); ++i) {
            if (is_hashed_[i]) {
                append_content(batch.slots[ports_[i]], sample, content);
            }
        }
        return hash_of(content);
    }

    static void take(BatchFacts& one, std::vector<StreamTally>& tallies, SectionFacts& facts) {
        if (one.failure) {
            std::rethrow_exception(one.failure);
        }
        for (std::size_t i = 0; i < tallies.size(); ++i) {
            tallies[i].merge(one.tallies[i]);
        }
        const auto append = [](auto& all, auto& some) {
            std::ranges::move(some, std::back_inserter(all));
        };
        append(facts.indices, one.indices);
        append(facts.hashes, one.hashes);
        append(facts.shown, one.shown);
        append(facts.broken, one.broken);
    }

    const DataRequest& request_;
    const pipeline::Plan& plan_;
    BatchSource& source_;
    const pipeline::Node& node_;
    PassPlan pass_;
    std::vector<std::int64_t> shown_;  // sorted
    std::vector<std::size_t> ports_;   // with a stream
    std::vector<bool> is_hashed_;      // as ports_
};

bool reads_streams(const experiment::Section& section) {
    return section.sampler && (section.sampler->needs_labels() || section.sampler->needs_lengths());
}

// Reads one section after the other; a task ends before the next one is created.
class Survey {
public:
    Survey(const DataRequest& request, const std::string& folder, const std::string& copies)
        : request_(request),
          plan_(request.plan),
          plugins_(plan_, copies),
          context_{plan_,
                   globals_,
                   silent_log("ptp"),
                   folder,
                   usable_device(request.experiment.device, request.experiment.is_deterministic),
                   static_cast<std::uint64_t>(request.experiment.seed.value_or(0))} {
        at::manual_seed(context_.seed);
        const auto needs_all = [&](const pipeline::Node& task) {
            const experiment::Section* section =
                experiment::find_section(request.experiment, task.section);
            return is_asked(task) && section != nullptr && reads_streams(*section);
        };
        if (std::ranges::any_of(plan_.tasks, needs_all)) {
            components_ = create_components(context_, plugins_);
        }
    }

    void run() {
        for (const pipeline::Node& task : plan_.tasks) {
            if (is_asked(task)) {
                SectionFacts& facts = request_.found.emplace_back();
                facts.name = task.section;
                facts.task = fmt::format("{}, {} {}", task.component->name,
                                         task.plugin->manifest.name, task.plugin->manifest.version);
                survey(task, facts);
            }
        }
    }

private:
    [[nodiscard]] bool is_asked(const pipeline::Node& task) const {
        return request_.sections.empty() || contains(request_.sections, task.section);
    }

    // A task that fails without what that of the training publishes, such as the types of a table's
    // columns, is created behind it.
    std::shared_ptr<Instance> new_instance(const pipeline::Node& task) {
        const pipeline::Node& training = plan_.tasks.front();
        const bool may_need_it =
            &task != &training && !is_asked(training) && task.component == training.component;
        try {
            return std::make_shared<Instance>(context_, task, plugins_.component(task));
        } catch (const RunError&) {
            if (!may_need_it) {
                throw;
            }
        }
        const Instance publishing(context_, training, plugins_.component(training));
        return std::make_shared<Instance>(context_, task, plugins_.component(task));
    }

    void survey(const pipeline::Node& task, SectionFacts& facts) {
        try {
            const std::shared_ptr<Instance> made = components_ ? nullptr : new_instance(task);
            Instance& instance = made ? *made : *components_->task(task.section);
            const experiment::Section section =
                each_once(experiment::find_section(request_.experiment, task.section));
            BatchTransforms transforms;
            if (components_) {
                transforms.sampled = per_sample_stage(*components_, instance);
            }
            BatchSource source(section, plan_, instance, context_.seed, transforms);
            SectionSurvey(request_, plan_, source).run(facts);
            facts.class_names = published_classes(task, globals_);
            if (request_.versions > 0 && task.section == kTrained) {
                facts.versions = versions(section, made);
            }
        } catch (const RunError& error) {
            facts.error = error.what();
            facts.exit_code = error.code();
        }
    }

    // `task` is that of the training, unless all components were created.
    SampleVersions versions(const experiment::Section& section, std::shared_ptr<Instance> task) {
        const Components components =
            components_ ? *components_ : with_transforms(context_, plugins_, std::move(task));
        Instance& training = *components.tasks.front();
        const std::vector<Instance*> stage = per_sample_stage(components, training);
        BatchSource source(section, plan_, training, context_.seed, {stage, stage});
        return versions_of(source, plan_,
                           spaced(source.plan_pass(0, false).order, kSamplesWithVersions),
                           request_.versions);
    }

    const DataRequest& request_;
    pipeline::Plan plan_;
    const Plugins plugins_;
    Globals globals_;
    ComponentContext context_;
    std::optional<Components> components_;
};

}  // namespace

void survey_data(const DataRequest& request) {
    set_up_process();
    const TemporaryPath folder = TemporaryPath::new_folder();  // for files of components
    const std::filesystem::path copies = folder.path() / run::kPluginsFolder;
    std::filesystem::create_directory(copies);
    Survey(request, folder.path().string(), copies.string()).run();
}

}  // namespace ptp::engine
