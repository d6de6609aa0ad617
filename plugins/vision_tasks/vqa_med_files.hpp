// The files of VQA-Med 2019: which a split has, and what is in each of their lines.
#pragma once

#include "vqa_med_categories.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vqa_med {

inline constexpr const char* kObtain =
    "take the files of VQA-Med 2019 from https://github.com/abachaa/VQA-Med-2019, unpack them, and "
    "set data_folder to the folder with ImageClef-2019-VQA-Med-Training, "
    "ImageClef-2019-VQA-Med-Validation and ImageClef-2019-VQA-Med-Test";

inline constexpr const char* kSplits = "training|validation|training_validation|test|test_answers";
enum class Split { kTraining, kValidation, kTrainingValidation, kTest, kTestAnswers };

// C1 to C4 as a setting has them, C1|C2|C3|C4|all; all, if it has "all".
enum class Chosen { kModality, kPlane, kOrgan, kAbnormality, kAll };

bool has(const std::vector<Chosen>& categories, Category category);

// One file of questions, with paths within data_folder.
struct Source {
    std::string file;
    std::string images;                // the folder of its images
    std::optional<Category> category;  // of all its questions, if they share one
    Split split;                       // kTraining, kValidation, kTest or kTestAnswers
};

// In the order of their samples: the training's before the validation's, C1 before C2.
std::vector<Source> sources_of(Split split, const std::vector<Chosen>& categories);

// One line; valid while it is handed over.
struct Record {
    std::string_view image;  // the name of its file, without .jpg
    std::string_view question;
    std::string_view answer;  // "<UNK>" in the test without answers
    Category category;        // as the file states it
};

// Calls use(record) with each line, in order; blank lines are left out. Of the test with answers
// only the questions of `categories`. Throws DataError for a file that is not there, and with the
// lines that are wrong.
void read_questions(const std::filesystem::path& data_folder, const Source& source,
                    const std::vector<Chosen>& categories,
                    const std::function<void(const Record&)>& use);

}  // namespace vqa_med
