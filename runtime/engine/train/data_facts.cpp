// The facts about a run's data, and their comparison with those of a checkpoint.

#include "engine/train/data_facts.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "engine/checkpoint/checkpoint_file.hpp"
#include "pipeline/evaluate.hpp"
#include "run/training_record.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;

// Hashing the files of a task takes a fraction of a second at each start.
constexpr std::uintmax_t kMaxHashedBytes = 64U << 20U;
constexpr const char* kSamples = "samples";
constexpr const char* kFiles = "files";

// Returns the hash of a file, or its size if that is more than what is left to be hashed; "" if
// there is no such file.
std::string content_of(const fs::path& path, std::uintmax_t& bytes_left) {
    std::error_code error;
    const std::uintmax_t size = fs::is_regular_file(path, error) ? fs::file_size(path, error) : 0;
    if (size == 0 || error) {
        return "";
    }
    if (size > bytes_left) {
        return fmt::format("{} bytes", size);
    }
    bytes_left -= size;
    return sha256_of_file(path);
}

void add_file(const std::string& name, const Value& value, std::uintmax_t& bytes_left,
              Value& files) {
    const std::string content = value.is_string() ? content_of(value.as_string(), bytes_left) : "";
    if (!content.empty()) {
        files.set(name, content);
    }
}

Value files_of(const pipeline::Node& task) {
    Value files = Value::table();
    std::uintmax_t bytes_left = kMaxHashedBytes;
    const auto& declared = task.component->settings;
    for (std::size_t i = 0; i < declared.size(); ++i) {
        if (declared[i].type != plugin::SettingType::kPath || !task.settings[i]) {
            continue;
        }
        const Value& value = *task.settings[i];
        add_file(declared[i].name, value, bytes_left, files);
        for (std::size_t item = 0; value.is_list() && item < value.items().size(); ++item) {
            add_file(fmt::format("{}[{}]", declared[i].name, item), value.items()[item], bytes_left,
                     files);
        }
    }
    return files;
}

constexpr const char* kOtherData = "the data are not those of the checkpoint";

// `saved` may lack facts.
void compare_files(const std::string& section, const Value& saved, const Value& now,
                   std::vector<std::string>& differences) {
    const Value* files = saved.find(kFiles);
    if (files == nullptr || !files->is_table()) {
        return;
    }
    for (const Member& file : files->members()) {
        const Value* content = now.find(file.key);
        if (content != nullptr && !(*content == file.value)) {
            differences.push_back(
                fmt::format("the file of {}.task.{} has another content", section, file.key));
        }
    }
}

// `saved` may lack facts.
void compare(const std::string& section, const Value& saved, const Value& now,
             std::vector<std::string>& differences) {
    const Value* samples = saved.find(kSamples);
    const std::int64_t count = now.find(kSamples)->as_integer();
    if (samples != nullptr && samples->is_integer() && samples->as_integer() != count) {
        differences.push_back(
            fmt::format("[{}] has {} samples, had {}", section, count, samples->as_integer()));
    }
    compare_files(section, saved, *now.find(kFiles), differences);
}

}  // namespace

Value named_files(const Components& components) {
    Value files = Value::table();
    for (const std::shared_ptr<Instance>& task : components.tasks) {
        files.set(task->node().section, files_of(task->node()));
    }
    return files;
}

Value data_facts(TrainingSession& session) {
    Value facts = Value::table();
    for (const std::unique_ptr<BatchSource>* source : session.sources()) {
        if (*source == nullptr) {
            continue;
        }
        const std::string& section = (*source)->task().node().section;
        const Value* files = session.data_files.find(section);
        facts.set(section, Value::table({{kSamples, (*source)->task_size()},
                                         {run::kDrawableSamples, (*source)->drawable_count()},
                                         {run::kEpochSamples,
                                          static_cast<std::int64_t>((*source)->sample_count())},
                                         {kFiles, files == nullptr ? Value::table() : *files}}));
    }
    return facts;
}

void require_same_data(TrainingSession& session, const Value& saved) {
    std::vector<std::string> differences;
    const Value facts = data_facts(session);
    for (const Member& section : facts.members()) {
        if (const Value* before = saved.find(section.key);
            before != nullptr && before->is_table()) {
            compare(section.key, *before, section.value, differences);
        }
    }
    if (differences.empty()) {
        return;
    }
    const std::string text = fmt::format("{}: {}", kOtherData, join(differences, "; "));
    if (session.accepts_other_data) {
        session.log.warn(text + "; samples of the epoch may be seen twice, or not at all");
        return;
    }
    throw WithFix<RunError>(
        kDataError,
        {text + ": samples of the epoch would be seen twice, or not at all, and what was measured "
                "before could not be compared",
         "restore the data; --accept-other-data continues all the same, a new run begins with them "
         "from the first epoch"});
}

void warn_of_changed_data(const experiment::Experiment& experiment, const pipeline::Plan& plan,
                          const Value& saved, spdlog::logger& log) {
    const experiment::Section& training = experiment.training;
    const Value* const facts = saved.find(training.name);
    const Value* const before = facts == nullptr ? nullptr : facts->find(kFiles);
    if (before == nullptr || !before->is_table()) {
        return;
    }
    for (const pipeline::Node& task : plan.tasks) {
        const auto settings = pipeline::checked_settings(task);
        const auto is_same_file = [&](const Member& file) {
            const Value* const path = settings.find(file.key);
            const Value* const of_training = training.task.settings.find(file.key);
            return path != nullptr && of_training != nullptr && *path == *of_training;
        };
        if (task.section == training.name ||
            std::ranges::none_of(before->members(), is_same_file)) {
            continue;  // so that files of new data are not hashed
        }
        const Value now = files_of(task);
        for (const Member& file : before->members()) {
            const Value* const content = now.find(file.key);
            if (content != nullptr && is_same_file(file) && !(*content == file.value)) {
                log.warn(Explanation{
                    fmt::format("{0}.task.{1}: the file of the training has another content now, "
                                "so that [{0}] may have samples that were trained on",
                                task.section, file.key),
                    "restore the file, or name new data that no training has seen"}
                             .text());
            }
        }
    }
}

RunError with_other_data(const RunError& error, const pipeline::Plan& plan,
                         const RunRequest& request,
                         const std::optional<std::filesystem::path>& checkpoint) {
    if (!checkpoint || request.resume->accepts_other_data) {
        return error;
    }
    const std::string text = error.what();
    const Value saved = part_of(read_training_state(*checkpoint), run::kDataPart).record;
    std::vector<std::string> differences;
    for (const pipeline::Node& task : plan.tasks) {
        const Value* const before = saved.find(task.section);
        if (before != nullptr && before->is_table()) {
            compare_files(task.section, *before, files_of(task), differences);
        }
    }
    if (differences.empty() || text.find(kOtherData) != std::string::npos) {
        return error;
    }
    const std::string reason =
        text.substr(0, std::min(text.find("\n    fix: "), text.find("\nfix: ")));
    return WithFix<RunError>(
        kDataError,
        {fmt::format("{}: {}; with them: {}", kOtherData, join(differences, "; "), reason),
         "restore the data; a new run begins with them from the first epoch"});
}

}  // namespace ptp::engine
