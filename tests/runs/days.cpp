// Day: reads days of one form, "2024-03-01" or "1.3.2024", as numbers, and refuses texts of others.

#include <ptp/component.hpp>
#include <ptp/entry.hpp>

#include <ATen/ops/empty.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <tuple>

class Day {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Day";
    static constexpr const char* summary = "Reads days of one form as numbers";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_STRING, "B", "Days"),
        ptp::output("outputs", PTP_FLOAT, "B, 2", "The month and the day, from 0 to 1")};

    enum class Form { kIso, kGerman };
    struct Config {
        Form form = Form::kIso;

        static constexpr auto settings() {
            return std::tuple{ptp::setting("form", &Config::form,
                                           {.help = "Of the texts", .choices = "iso|german"})};
        }
    };

    explicit Day(const Config& config) : form_(config.form) {}

    at::Tensor forward(const ptp::Strings& days, const ptp::Samples& samples) const {
        at::Tensor numbers = at::empty({static_cast<std::int64_t>(samples.size()), 2});
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const std::string_view text = days[i];
            std::array<int, 3> parts{};
            if (!read(text, parts)) {
                throw ptp::DataError("sample ", samples.indices()[i], ": '", text, "' is not ",
                                     form_ == Form::kIso ? "YEAR-MONTH-DAY" : "DAY.MONTH.YEAR");
            }
            const auto row = static_cast<std::int64_t>(i);
            numbers[row][0] = static_cast<float>(parts[1]) / 12;
            numbers[row][1] = static_cast<float>(parts[form_ == Form::kIso ? 2 : 0]) / 31;
        }
        return numbers;
    }

private:
    bool read(std::string_view text, std::array<int, 3>& parts) const {
        const char separator = form_ == Form::kIso ? '-' : '.';
        for (std::size_t part = 0; part < parts.size(); ++part) {
            const std::size_t end = text.find(separator);
            const std::string_view digits = text.substr(0, end);
            const auto read =
                std::from_chars(digits.data(), digits.data() + digits.size(), parts.at(part));
            const bool is_last = part + 1 == parts.size();
            if (read.ec != std::errc() || read.ptr != digits.data() + digits.size() ||
                is_last != (end == std::string_view::npos)) {
                return false;
            }
            text.remove_prefix(is_last ? text.size() : end + 1);
        }
        return true;
    }

    Form form_;
};

PTP_PLUGIN("days", "0.1.0", Day);
