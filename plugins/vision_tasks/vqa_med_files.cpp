// Lists the files of each split and category, and reads their lines.

#include "vqa_med_files.hpp"

#include "question_images.hpp"

#include <ptp/error.hpp>
#include <text_file.hpp>
#include <words.hpp>
#include <wrong_lines.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace vqa_med {

namespace {

constexpr std::array<const char*, 4> kTopics{"Modality", "Plane", "Organ", "Abnormality"};

// Adds the files of the training or the validation, one for each category.
void add_category_files(std::vector<Source>& sources, Split split,
                        const std::vector<Chosen>& categories) {
    const bool is_training = split == Split::kTraining;
    const std::string folder =
        is_training ? "ImageClef-2019-VQA-Med-Training" : "ImageClef-2019-VQA-Med-Validation";
    for (size_t i = 0; i < kTopics.size(); ++i) {
        const auto category = static_cast<Category>(i);
        if (has(categories, category)) {
            sources.push_back({folder + "/QAPairsByCategory/" + std::string(name_of(category)) +
                                   "_" + kTopics[i] + (is_training ? "_train.txt" : "_val.txt"),
                               folder + (is_training ? "/Train_images" : "/Val_images"), category,
                               split});
        }
    }
}

std::vector<std::string_view> split_fields(std::string_view line) {
    std::vector<std::string_view> fields;
    for (size_t bar = line.find('|'); bar != std::string_view::npos; bar = line.find('|')) {
        fields.push_back(line.substr(0, bar));
        line.remove_prefix(bar + 1);
    }
    fields.push_back(line);
    return fields;
}

// Returns the category for "modality" and so on; nullopt for other words.
std::optional<Category> category_called(std::string_view word) {
    for (size_t i = 0; i < kTopics.size(); ++i) {
        const std::string_view topic = kTopics[i];
        const auto is_same = [](char a, char b) { return a == b || a == b + ('a' - 'A'); };
        if (std::ranges::equal(word, topic, is_same)) {
            return static_cast<Category>(i);
        }
    }
    return std::nullopt;
}

const char* expected_fields(Split split) {
    switch (split) {
        case Split::kTest:
            return "image|question";
        case Split::kTestAnswers:
            return "image|category|question|answer";
        default:
            return "image|question|answer";
    }
}

// Returns "" if the line is valid.
std::string read_record(std::string_view line, const Source& source, Record& record) {
    const std::vector<std::string_view> fields = split_fields(line);
    const bool has_category = source.split == Split::kTestAnswers;
    const bool has_answer = source.split != Split::kTest;
    const size_t question = has_category ? 2 : 1;
    if (fields.size() != question + (has_answer ? 2 : 1)) {
        return ptp::detail::join("has ", fields.size(), " parts, expected ",
                                 expected_fields(source.split));
    }
    record = {fields[0], fields[question], has_answer ? fields.back() : "<UNK>",
              source.category.value_or(Category::kUnknown)};
    if (std::string problem = image_name_problem(record.image); !problem.empty()) {
        return problem;
    }
    for (const auto& [what, text] :
         {std::pair("question", record.question), std::pair("answer", record.answer)}) {
        if (!ptp::support::has_words(text)) {
            return ptp::detail::join("the ", what, " is blank");
        }
    }
    if (has_category) {
        const auto category = category_called(fields[1]);
        if (!category) {
            return ptp::detail::join("the category is '", fields[1],
                                     "', expected modality, plane, organ or abnormality");
        }
        record.category = *category;
    }
    return "";
}

}  // namespace

bool has(const std::vector<Chosen>& categories, Category category) {
    return std::ranges::any_of(categories, [&](Chosen chosen) {
        return chosen == Chosen::kAll ||
               static_cast<size_t>(chosen) == static_cast<size_t>(category);
    });
}

std::vector<Source> sources_of(Split split, const std::vector<Chosen>& categories) {
    const std::string test = "ImageClef-2019-VQA-Med-Test";
    std::vector<Source> sources;
    switch (split) {
        case Split::kTraining:
        case Split::kValidation:
            add_category_files(sources, split, categories);
            break;
        case Split::kTrainingValidation:
            add_category_files(sources, Split::kTraining, categories);
            add_category_files(sources, Split::kValidation, categories);
            break;
        case Split::kTest:
        case Split::kTestAnswers:
            sources.push_back(
                {test + (split == Split::kTest ? "/VQAMed2019_Test_Questions.txt"
                                               : "/VQAMed2019_Test_Questions_w_Ref_Answers.txt"),
                 test + "/VQAMed2019_Test_Images", std::nullopt, split});
            break;
    }
    return sources;
}

void read_questions(const std::filesystem::path& data_folder, const Source& source,
                    const std::vector<Chosen>& categories,
                    const std::function<void(const Record&)>& use) {
    const std::filesystem::path file = data_folder / source.file;
    const std::string text = ptp::support::read_text(file, kObtain);
    ptp::support::WrongLines wrong(file);
    ptp::support::for_each_line(text, [&](std::string_view line, int64_t number) {
        Record record{};
        if (!ptp::support::has_words(line)) {
            return;
        }
        const std::string problem = read_record(line, source, record);
        if (!problem.empty()) {
            wrong.add(number, problem);
        } else if (record.category == Category::kUnknown || has(categories, record.category)) {
            use(record);
        }
    });
    wrong.throw_if_any();
}

}  // namespace vqa_med
