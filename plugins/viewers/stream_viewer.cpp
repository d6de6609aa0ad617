// StreamViewer: writes the values of streams for one sample to the log at intervals.

#include "missing_stream.hpp"

#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <iomanip>
#include <sstream>

class StreamViewer {
public:
    static constexpr ptp_kind kind = PTP_VIEWER;
    static constexpr const char* name = "StreamViewer";
    static constexpr const char* summary = "Logs what streams carry for one sample";
    static constexpr const char* description =
        "Every N episodes, and for the first batch of each pass over another set, it logs "
        "the named streams of one sample. Up to 16 numbers are written out, more are summed up "
        "by their shape, range and mean. With skip_missing_streams, those that a section lacks are "
        "left out.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_ANY, "", "The streams to show")
            .streams_from("input_streams")
            .when("!skip_missing_streams"),
        ptp::input("inputs", PTP_ANY, "", "The streams to show, as far as there are any")
            .streams_from("input_streams")
            .optional()
            .when("skip_missing_streams")};

    struct Config {
        std::vector<std::string> input_streams;
        int64_t sample_number = -1;
        int64_t interval = 100;
        bool skip_missing_streams = false;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("input_streams", &Config::input_streams,
                             {.help = "Names of the streams to show",
                              .length = "[1, inf)",
                              .is_required = true,
                              .takes_list_or_one = true}),
                ptp::setting(
                    "sample_number", &Config::sample_number,
                    {.help = "Which sample of the batch to show, from 0; -1 is a random one",
                     .range = "[-1, inf)"}),
                ptp::setting(
                    "interval", &Config::interval,
                    {.help = "Episodes from one showing to the next", .range = "[1, inf)"}),
                ptp::setting("skip_missing_streams", &Config::skip_missing_streams,
                             ptp::support::kSkipMissingText)};
        }
    };

    StreamViewer(const Config& config, ptp::Setup& setup) : config_(config), setup_(setup) {}

    void forward(const ptp::List<ptp::Value>& all, const ptp::List<ptp::Value>& some,
                 const ptp::Step& step) {
        const auto interval = static_cast<uint64_t>(config_.interval);
        const bool is_due =
            step.is_training() ? step.episode() % interval == 0 : step.batch_index() == 0;
        if (is_due && step.batch_size() > 0) {
            show(config_.skip_missing_streams ? some : all, step);
        }
    }

private:
    void show(const ptp::List<ptp::Value>& inputs, const ptp::Step& step) {
        const uint64_t samples = step.batch_size();
        const uint64_t sample = config_.sample_number < 0
                                    ? setup_.random() % samples
                                    : static_cast<uint64_t>(config_.sample_number);
        std::ostringstream text;
        text << step.section() << ", episode " << step.episode() << ", sample " << sample << " of "
             << samples;
        if (sample >= samples) {
            text << ": not in this batch";
        } else {
            for (size_t i = 0; i < inputs.size(); ++i) {
                if (config_.skip_missing_streams && ptp::support::is_missing(inputs[i])) {
                    missing_.log(setup_, step.section(), inputs[i].stream());
                    continue;
                }
                text << "\n  " << inputs[i].stream() << ": ";
                write(text, inputs[i], static_cast<int64_t>(sample), samples);
            }
        }
        setup_.log_info(text.str());
    }

    // Returns the text on one line, so that it cannot be mistaken for another line of the log.
    static std::string quoted(std::string_view text) {
        constexpr std::string_view kDigits = "0123456789abcdef";
        std::string shown = "\"";
        for (const char c : text) {
            const auto byte = static_cast<unsigned char>(c);
            if (c == '\n') {
                shown += "\\n";
            } else if (c == '"' || c == '\\') {
                shown += {'\\', c};
            } else if (byte < 0x20 || byte == 0x7f) {
                shown += {'\\', 'x', kDigits[byte / 16U], kDigits[byte % 16U]};
            } else {
                shown += c;
            }
        }
        return shown + '"';
    }

    static void write(std::ostream& text, const ptp::Value& value, int64_t sample,
                      uint64_t samples) {
        const auto index = static_cast<size_t>(sample);
        if (value.element() == PTP_STRING) {
            text << quoted(value.strings()[index]);
        } else if (value.element() == PTP_TOKENS) {
            const auto tokens = value.token_lists()[index];
            for (size_t i = 0; i < tokens.size(); ++i) {
                text << (i == 0 ? "" : " ") << quoted(tokens[i]);
            }
        } else if (value.element() == PTP_TENSOR_LIST) {
            write(text, value.tensor_list()[index]);
        } else {
            const at::Tensor& tensor = value.tensor();
            const bool has_samples =
                tensor.dim() > 0 && static_cast<uint64_t>(tensor.size(0)) == samples;
            write(text, has_samples ? tensor.select(0, sample) : tensor);
        }
    }

    static void write(std::ostream& text, const at::Tensor& tensor) {
        constexpr int64_t kMaxNumbers = 16;
        const at::Tensor numbers = tensor.detach().to(at::kCPU, at::kDouble).reshape(-1);
        const auto number = [&](const at::Tensor& one) { text << one.item<double>(); };
        text << std::setprecision(4);
        if (tensor.dim() == 0) {
            number(numbers[0]);
        } else if (numbers.numel() > kMaxNumbers) {
            text << tensor.sizes() << ", ";
            number(numbers.min());
            text << " to ";
            number(numbers.max());
            text << ", mean ";
            number(numbers.mean());
        } else {
            for (int64_t i = 0; i < numbers.numel(); ++i) {
                text << (i == 0 ? "[" : ", ");
                number(numbers[i]);
            }
            text << (numbers.numel() == 0 ? "[]" : "]");
            if (tensor.dim() > 1) {
                text << " as " << tensor.sizes();
            }
        }
    }

    Config config_;
    ptp::Setup& setup_;
    ptp::support::MissingStreams missing_;
};

template const ptp_component_info& ptp::component<StreamViewer>();
