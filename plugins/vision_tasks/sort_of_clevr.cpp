// SortOfCLEVR: pictures of colored squares and circles, with questions about them.
//
// Santoro, Raposo, Barrett, Malinowski, Pascanu, Battaglia, Lillicrap: A simple neural network
// module for relational reasoning, 2017, arXiv 1706.01427. Drawn on request; there are no files.

#include "scene.hpp"
#include "split.hpp"

#include <class_table.hpp>
#include <ptp/component.hpp>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

class SortOfCLEVR {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "SortOfCLEVR";
    static constexpr const char* summary =
        "Questions about pictures of colored squares and circles";
    static constexpr const char* description =
        "An image has six objects that do not overlap, one of each color (red, green, blue, "
        "orange, gray, yellow), each a square or a circle with equal chance. A question names a "
        "color and is non-relational (its form? in the left half? in the upper half?) or "
        "relational (the form of the nearest object? of the farthest? how many objects have its "
        "form?). It is 11 numbers, 0 or 1: 6 for the color, 2 for non-relational and relational, 3 "
        "for which of the three.\n"
        "Color and question are drawn with equal chances. Answers are as they fall: about half "
        "yes, half no; half square, half circle; counts follow 1 + Binomial(5, 1/2), so 3 and 4 "
        "are most frequent. A question whose answer is open, since two objects of different forms "
        "are equally near or far, is drawn again.\n"
        "Sample i is a function of seed, split and i alone. The samples from k questions_per_image "
        "to (k + 1) questions_per_image - 1 show image k. The splits share no image, but by a "
        "chance that is practically 0. The paper has 9800 images of 75 x 75 with 20 questions each "
        "to train with: size = 196000, questions_per_image = 20.\n"
        "Santoro et al. 2017, arXiv 1706.01427.";

    static constexpr std::array ports{
        ptp::output("inputs", PTP_FLOAT, "B, 3, image_height, image_width",
                    "Images in [0, 1], red, green, blue"),
        ptp::output("questions", PTP_FLOAT, "B, question_size", "Color, kind, and which of three"),
        ptp::output("targets", PTP_INTEGER, "B", "Numbers of the answers, 0 to 9")
            .purpose(PTP_PURPOSE_TARGETS),
        ptp::output("labels", PTP_STRING, "B", "The answers"),
        ptp::output("question_types", PTP_INTEGER, "B",
                    "0 form, 1 left?, 2 upper?, 3 form of nearest, 4 of farthest, 5 count"),
        ptp::output("relational_masks", PTP_BOOL, "B", "True for relational questions"),
        ptp::output("non_relational_masks", PTP_BOOL, "B", "True for the others")};
    static constexpr std::array globals{
        ptp::publishes("num_classes", "Number of answers")
            .purpose(PTP_PURPOSE_CLASS_COUNT)
            .value("10"),
        ptp::publishes("image_height", "Height of an image, in pixels").value("$image_size"),
        ptp::publishes("image_width", "Width of an image, in pixels").value("$image_size"),
        ptp::publishes("image_depth", "Channels of an image").value("3"),
        ptp::publishes("question_size", "Length of a question").value("11"),
        ptp::publishes("label_word_mappings", "Table from an answer to its number")
            .purpose(PTP_PURPOSE_CLASS_NAMES)};
    static constexpr bool is_concurrent = true;
    static constexpr const char* sample_count = "if($split or $seed, $size, $size)";

    static constexpr const char* kSplits = "training|validation|test";
    enum class QuestionKind { kAll, kRelational, kNonRelational };

    struct Config {
        int64_t size = 10000;
        int64_t questions_per_image = 1;
        int64_t seed = 0;
        std::optional<std::string> split;
        QuestionKind question_kind = QuestionKind::kAll;
        int64_t image_size = 75;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("size", &Config::size,
                             {.help = "Number of samples, an image and a question each",
                              .range = "[1, inf)"}),
                ptp::setting("questions_per_image", &Config::questions_per_image,
                             {.help = "Number of samples in a row that show the same image",
                              .range = "[1, inf)"}),
                ptp::setting("seed", &Config::seed,
                             {.help = "Other seeds produce other images and questions"}),
                ptp::setting(
                    "split", &Config::split,
                    {.help = "Which images; if not given, the split with the section's name",
                     .choices = kSplits,
                     .purpose = PTP_PURPOSE_SPLIT}),
                ptp::setting("question_kind", &Config::question_kind,
                             {.help = "Which questions are asked",
                              .choices = "all|relational|non_relational"}),
                ptp::setting(
                    "image_size", &Config::image_size,
                    {.help = "Height and width of an image, in pixels", .range = "[15, 1024]"})};
        }
    };

    SortOfCLEVR(const Config& config, ptp::Setup& setup) : config_(config) {
        const int64_t split = split_index(config.split, kSplits, setup.section());
        seed_ = ptp::mix(static_cast<uint64_t>(config.seed), static_cast<uint64_t>(split));
        setup.publish("num_classes", kAnswers.size());
        setup.publish("image_height", config.image_size);
        setup.publish("image_width", config.image_size);
        setup.publish("image_depth", 3);
        setup.publish("question_size", kQuestionSize);
        setup.publish("label_word_mappings", ptp::support::class_table(kAnswers));
    }

    int64_t size() const { return config_.size; }

    std::tuple<at::Tensor, at::Tensor, at::Tensor, std::vector<std::string_view>, at::Tensor,
               at::Tensor, at::Tensor>
    fetch(const ptp::Fetch& fetch) const {
        const auto count = static_cast<int64_t>(fetch.size());
        const int64_t side = config_.image_size;
        at::Tensor images = at::empty({count, 3, side, side}, at::kFloat);
        at::Tensor questions = at::zeros({count, kQuestionSize}, at::kFloat);
        at::Tensor targets = at::empty({count}, at::kLong);
        at::Tensor types = at::empty({count}, at::kLong);
        at::Tensor relational = at::empty({count}, at::kBool);
        std::vector<std::string_view> labels(fetch.size());
        for (int64_t i = 0; i < count; ++i) {
            const Sample sample = make(fetch.indices()[static_cast<size_t>(i)]);
            sample.scene.draw(images.data_ptr<float>() + i * 3 * side * side);
            encode(sample.question, questions.data_ptr<float>() + i * kQuestionSize);
            targets.data_ptr<int64_t>()[i] = sample.answer;
            types.data_ptr<int64_t>()[i] =
                sample.question.subtype + (sample.question.is_relational ? 3 : 0);
            relational.data_ptr<bool>()[i] = sample.question.is_relational;
            labels[static_cast<size_t>(i)] = kAnswers[static_cast<size_t>(sample.answer)];
        }
        return {images, questions, targets, labels, types, relational, relational.logical_not()};
    }

private:
    static constexpr int64_t kQuestionSize = kColors + 2 + 3;
    static constexpr std::array<std::string_view, 10> kAnswers{
        "yes", "no", "square", "circle", "1", "2", "3", "4", "5", "6"};

    struct Sample {
        Scene scene;
        Question question;
        int64_t answer = kAmbiguous;
    };

    // Ignores the seeds of the fetch: a sample is the same in all epochs and runs.
    Sample make(int64_t index) const {
        const uint64_t image = ptp::mix(seed_, numbered(index / config_.questions_per_image));
        ptp::Random for_scene(image);
        Sample sample{.scene = random_scene(config_.image_size, for_scene), .question = {}};
        ptp::Random random(ptp::mix(image, numbered(index % config_.questions_per_image)));
        while (sample.answer == kAmbiguous) {
            sample.question = {.color = random.below(kColors),
                               .is_relational = draw_kind(random),
                               .subtype = random.below(3)};
            sample.answer = answer(sample.scene, sample.question);
        }
        return sample;
    }

    static uint64_t numbered(int64_t number) { return static_cast<uint64_t>(number); }

    bool draw_kind(ptp::Random& random) const {
        const bool coin = random.coin();
        return config_.question_kind == QuestionKind::kAll
                   ? coin
                   : config_.question_kind == QuestionKind::kRelational;
    }

    static void encode(const Question& question, float* bits) {
        bits[question.color] = 1;
        bits[kColors + (question.is_relational ? 1 : 0)] = 1;
        bits[kColors + 2 + question.subtype] = 1;
    }

    Config config_;
    uint64_t seed_ = 0;
};

template const ptp_component_info& ptp::component<SortOfCLEVR>();
