#include "vqa_med_files.hpp"

#include "image_files.hpp"
#include "pictures.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

namespace test {

namespace {

namespace fs = std::filesystem;

struct Question {
    const char* question;
    const char* answer;
};

// The question of a category about an image.
Question question_about(std::size_t category, std::size_t image) {
    const bool is_odd = image % 2 == 1;
    const std::size_t turn = image / 2 % 2;
    const std::array<Question, 2> modality{
        {{"What modality is shown?", "XR - Plain Film"}, {"what was used?", "CT w/contrast (IV)"}}};
    const std::array<Question, 2> abnormality{
        {{"what is abnormal in the image?", "acute appendicitis"},
         {"what is the primary abnormality?",
          "pulmonary embolism, with \xE2\x80\x9Csaddle\xE2\x80\x9D"}}};
    const std::array<Question, 2> yes_no{
        {{"Is this image normal?", "yes"}, {"is the MRI T1 weighted?", "no"}}};
    const std::array<Question, 3> plane{{{"in what plane is the image?", "axial"},
                                         {"which plane is it?", "coronal"},
                                         {"in what plane is the mri?", "sagittal"}}};
    const std::array<Question, 2> organ{
        {{"which organ system is shown?", "lung, mediastinum, pleura"},
         {"what part of the body is this?", "skull and contents"}}};
    switch (category) {
        case 0:
            return is_odd ? yes_no[turn] : modality[turn];
        case 1:
            return plane[image % 3];
        case 2:
            return organ[image % 2];
        default:
            return is_odd ? yes_no[turn] : abnormality[turn];
    }
}

constexpr std::array<const char*, 4> kTopics{"Modality", "Plane", "Organ", "Abnormality"};

void write_answered_images(const fs::path& folder, const std::string& prefix, int count) {
    for (int i = 0; i < count; ++i) {
        const auto height = static_cast<uint32_t>(16 + 2 * i);
        const uint32_t width = 24;
        write_jpeg(folder / (prefix + std::to_string(i) + ".jpg"),
                   {width,
                    height,
                    Bytes(std::size_t{3} * width * height, static_cast<uint8_t>(40 * i)),
                    {}},
                   {.channels = 3});
    }
}

void write_categories(const fs::path& folder, const std::string& prefix, const char* part,
                      int count) {
    fs::create_directories(folder / "QAPairsByCategory");
    for (std::size_t category = 0; category < kTopics.size(); ++category) {
        std::ofstream lines(
            folder / "QAPairsByCategory" /
            ("C" + std::to_string(category + 1) + "_" + kTopics[category] + "_" + part + ".txt"));
        for (int i = 0; i < count; ++i) {
            const Question about = question_about(category, static_cast<std::size_t>(i));
            lines << prefix << i << '|' << about.question << '|' << about.answer << '\n';
        }
    }
}

void write_test(const fs::path& folder, int count) {
    constexpr std::array<const char*, 4> kCategories{"modality", "plane", "organ", "abnormality"};
    std::ofstream without(folder / "VQAMed2019_Test_Questions.txt");
    std::ofstream with(folder / "VQAMed2019_Test_Questions_w_Ref_Answers.txt");
    for (int i = 0; i < count; ++i) {
        for (std::size_t category = 0; category < kCategories.size(); ++category) {
            const Question about = question_about(category, static_cast<std::size_t>(i));
            without << "test" << i << '|' << about.question << '\n';
            with << "test" << i << '|' << kCategories[category] << '|' << about.question << '|'
                 << about.answer << '\n';
        }
    }
}

}  // namespace

void write_vqa_med(const fs::path& folder, int images) {
    const fs::path training = folder / "ImageClef-2019-VQA-Med-Training";
    const fs::path validation = folder / "ImageClef-2019-VQA-Med-Validation";
    const fs::path test = folder / "ImageClef-2019-VQA-Med-Test";
    write_answered_images(training / "Train_images", "train", images);
    write_answered_images(validation / "Val_images", "val", images);
    write_answered_images(test / "VQAMed2019_Test_Images", "test", images);
    write_categories(training, "train", "train", images);
    write_categories(validation, "val", "val", images);
    write_test(test, images);
}

}  // namespace test
