// The files of VQA-Med 2019 for each split, and the content of their lines.
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

// C1 to C4 in a setting, C1|C2|C3|C4|all; kAll for "all".
enum class Chosen { kModality, kPlane, kOrgan, kAbnormality, kAll };

bool has(const std::vector<Chosen>& categories, Category category);

// One file of questions, with paths within data_folder.
struct Source {
    std::string file;
    std::string images;                // folder of its images
    std::optional<Category> category;  // of all its questions, if they share one
    Split split;                       // kTraining, kValidation, kTest or kTestAnswers
};

// Returns the sources in the order of their samples: the training's before the validation's, C1
// before C2.
std::vector<Source> sources_of(Split split, const std::vector<Chosen>& categories);

// One line; valid during the call that receives it.
struct Record {
    std::string_view image;  // the name of its file, without .jpg
    std::string_view question;
    std::string_view answer;  // "<UNK>" in the test without answers
    Category category;        // according to the file
};

// Calls use(record) with each line, in order; blank lines are ignored. From the test with answers
// only the questions of `categories` are used. Throws DataError for a file that does not exist, and
// with the wrong lines.
void read_questions(const std::filesystem::path& data_folder, const Source& source,
                    const std::vector<Chosen>& categories,
                    const std::function<void(const Record&)>& use);

}  // namespace vqa_med
