// WebDataset: images with classes in tar shards, read at random by an index of their headers.

#include "color_settings.hpp"
#include "tar_index.hpp"

#include <image_reading.hpp>
#include <ptp/component.hpp>

#include <ATen/ops/empty.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <exception>
#include <optional>
#include <thread>

class WebDataset {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "WebDataset";
    static constexpr const char* sample_count = "*";
    static constexpr const char* summary = "Images with classes in tar shards, as WebDataset has";
    static constexpr const char* description =
        "Files of a shard whose names are equal up to the first dot are one sample: `0012.jpg` (or "
        ".jpeg, .png, .webp) its image, `0012.cls` its class as a number, `0012.txt` or "
        "`0012.json` a text. Samples come in the order of the shards; a sample without an image or "
        "a class is refused.\n"
        "When the task is created it reads the headers of all shards and the classes, and from "
        "then on each sample by its place: samples are shuffled over all shards, a training that "
        "is resumed continues in the middle of a shard with the same samples, and processes and "
        "loader threads never read one twice. The index takes about 80 bytes a sample.";

    static constexpr std::array ports{
        ptp::output("inputs", PTP_FLOAT, "B, image_depth, image_height, image_width", "Images")
            .meaning(kNormalizedMeaning),
        ptp::output("targets", PTP_INTEGER, "B", "Classes, from 0").purpose(PTP_PURPOSE_TARGETS),
        ptp::output("texts", PTP_STRING, "B", "The texts of the samples, as they are stored")
            .when("text"),
        ptp::output("keys", PTP_STRING, "B", "Names of the samples within their shards")};
    static constexpr std::array requirements{kNumbersOfChannels};
    static constexpr std::array globals{
        ptp::publishes("num_classes", "Number of classes")
            .purpose(PTP_PURPOSE_CLASS_COUNT)
            .value("$num_classes"),
        ptp::publishes("image_height", "Height of an image, in pixels").value("$resize_image[0]"),
        ptp::publishes("image_width", "Width of an image, in pixels").value("$resize_image[1]"),
        ptp::publishes("image_depth", "Channels of an image").value("$image_depth")};
    static constexpr bool is_concurrent = true;

    struct Config {
        std::filesystem::path data_folder;
        std::vector<std::string> shards{"*.tar"};
        int64_t num_classes = 0;
        std::vector<int64_t> resize_image;
        bool cut = false;
        int64_t image_depth = 3;
        std::optional<ColorNormalization> normalize;
        std::optional<std::string> text;

        static constexpr auto settings();
    };

    WebDataset(const Config& config, ptp::Setup& setup)
        : shown_{config.resize_image.at(0), config.resize_image.at(1)},
          channels_(config.image_depth),
          has_texts_(config.text),
          shards_(find_shards(config.data_folder, config.shards)),
          values_(options_of(config)) {
        check_depth(config.image_depth);
        read_index(config);
        if (samples_.empty()) {
            throw ptp::DataError(config.data_folder, ": its shards have no samples");
        }
        setup.publish("num_classes", config.num_classes);
        publish_size(setup, shown_, config.image_depth);
    }

    int64_t size() const { return static_cast<int64_t>(samples_.size()); }

    std::vector<int64_t> sample_classes() const {
        std::vector<int64_t> classes;
        for (const Sample& sample : samples_) {
            classes.push_back(sample.target);
        }
        return classes;
    }

    std::tuple<at::Tensor, at::Tensor, std::vector<std::string>, std::vector<std::string_view>>
    fetch(const ptp::Fetch& fetch) const {
        const auto count = static_cast<int64_t>(fetch.size());
        at::Tensor images = at::empty({count, channels_, shown_.height, shown_.width}, at::kFloat);
        at::Tensor targets = at::empty({count}, at::kLong);
        std::vector<std::string> texts(fetch.size());
        std::vector<std::string_view> keys;
        float* to = images.data_ptr<float>();
        std::string bytes;
        for (size_t i = 0; i < fetch.size(); ++i) {
            const Sample& sample = samples_[static_cast<size_t>(fetch.indices()[i])];
            shards_.read(sample.image, bytes);
            const ptp::support::Image image = ptp::support::read_image_bytes(
                bytes, place_text(sample.image.shard, sample.image.offset, sample.key), channels_);
            values_.write(ByteImage::interleaved(image.pixels.data(), {image.height, image.width},
                                                 channels_, image.value_bytes),
                          to);
            to += channels_ * shown_.height * shown_.width;
            targets.data_ptr<int64_t>()[i] = sample.target;
            if (has_texts_ && sample.text.size > 0) {
                shards_.read(sample.text, texts[i]);
            }
            keys.emplace_back(sample.key);
        }
        return {images, targets, texts, keys};
    }

private:
    struct Sample {
        std::string key;
        TarPlace image;
        TarPlace text;
        int64_t target = -1;
    };

    static ImageValues::Options options_of(const Config& config) {
        ImageValues::Options options =
            value_options(config.image_depth, config.resize_image, config.normalize);
        options.is_cut = config.cut;
        return options;
    }

    std::string place_text(uint32_t shard, uint64_t offset, const std::string& key) const {
        return shards_.path(shard).string() + ": at byte " + std::to_string(offset) + ": '" + key +
               "'";
    }

    // Reads the shards in several threads, and puts their samples in the order of the shards.
    void read_index(const Config& config) {
        std::vector<std::vector<Sample>> found(shards_.count());
        std::vector<std::exception_ptr> errors(shards_.count());
        std::atomic<uint32_t> next = 0;
        const auto work = [&] {
            for (uint32_t i = next++; i < shards_.count(); i = next++) {
                try {
                    found[i] = samples_of(i, config);
                } catch (...) {
                    errors[i] = std::current_exception();
                }
            }
        };
        {
            const unsigned threads =
                std::min({8U, std::thread::hardware_concurrency(), shards_.count()});
            std::vector<std::jthread> others;
            for (unsigned i = 1; i < threads; ++i) {
                others.emplace_back(work);
            }
            work();
        }
        for (uint32_t i = 0; i < shards_.count(); ++i) {
            if (errors[i]) {
                std::rethrow_exception(errors[i]);
            }
            std::ranges::move(found[i], std::back_inserter(samples_));
        }
    }

    std::vector<Sample> samples_of(uint32_t shard, const Config& config) const {
        std::vector<Sample> samples;
        for (TarMember& member : shards_.members(shard)) {
            const size_t folder = member.name.rfind('/') + 1;  // 0 without a folder
            const size_t dot = member.name.find('.', folder);
            if (dot == std::string::npos || dot == folder) {
                continue;
            }
            std::string key = member.name.substr(0, dot);
            if (samples.empty() || samples.back().key != key) {
                samples.push_back({std::move(key), {}, {}});
            }
            add(member.name.substr(dot + 1), member.place, config, samples.back());
        }
        for (const Sample& sample : samples) {
            if (sample.image.size == 0 || sample.target < 0) {
                throw ptp::DataError(
                    shards_.path(shard), ": the sample '", sample.key, "' has no ",
                    sample.image.size == 0 ? "image (.jpg, .png or .webp)" : "class (.cls)");
            }
        }
        return samples;
    }

    void add(const std::string& ending, const TarPlace& place, const Config& config,
             Sample& sample) const {
        constexpr std::array<std::string_view, 4> kImages{"jpg", "jpeg", "png", "webp"};
        if (std::ranges::find(kImages, ending) != kImages.end()) {
            sample.image = place;
        } else if (ending == "cls") {
            sample.target = read_class(place, sample.key, config.num_classes);
        } else if (config.text && ending == *config.text) {
            sample.text = place;
        }
    }

    int64_t read_class(const TarPlace& place, const std::string& key, int64_t classes) const {
        std::string text;
        shards_.read(place, text);
        text.erase(text.find_last_not_of(" \t\r\n") + 1);
        int64_t number = -1;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc() || end != text.data() + text.size() || number < 0 ||
            number >= classes) {
            constexpr size_t kShown = 20;
            throw ptp::DataError(place_text(place.shard, place.offset, key), ": its class is '",
                                 text.substr(0, kShown), "', expected a number from 0 to ",
                                 classes - 1);
        }
        return number;
    }

    ImageSize shown_;
    int64_t channels_;
    bool has_texts_;
    TarShards shards_;
    ImageValues values_;
    std::vector<Sample> samples_;
};

constexpr auto WebDataset::Config::settings() {
    return std::tuple{
        ptp::setting("data_folder", &Config::data_folder,
                     {.help = "Folder with the shards",
                      .is_required = true,
                      .obtain = "write shards there, with WebDataset's ShardWriter or with tar"}),
        ptp::setting("shards", &Config::shards,
                     {.help = "Names of shards in it, in their order: with * and ?, and with "
                              "ranges such as train-{000..099}.tar",
                      .length = "[1, inf)",
                      .takes_list_or_one = true}),
        ptp::setting("num_classes", &Config::num_classes,
                     {.help = "Number of classes", .range = "[1, inf)", .is_required = true}),
        ptp::setting("resize_image", &Config::resize_image, kRequiredResizeText),
        ptp::setting("cut", &Config::cut, kCutText),
        ptp::setting("image_depth", &Config::image_depth, kDepthText),
        ptp::setting("normalize", &Config::normalize, kNormalizeText),
        ptp::setting("text", &Config::text,
                     {.help = "Ending of the files with texts, which then are a stream",
                      .choices = "txt|json"})};
}

template const ptp_component_info& ptp::component<WebDataset>();
