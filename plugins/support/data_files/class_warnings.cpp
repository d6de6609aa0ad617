// Compares the names of classes with each other, with marks of missing values and with numbers.

#include "class_warnings.hpp"

#include <ptp/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace ptp::support {

namespace {

constexpr std::size_t kMany = 20;  // classes, more than most columns of classes have

bool is_number(std::string_view cell) {
    const std::string_view text = without_blanks(cell);
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string_view without_blanks(std::string_view cell) {
    const std::size_t begin = cell.find_first_not_of(" \t");
    if (begin == std::string_view::npos) {
        return {};
    }
    cell = cell.substr(begin, cell.find_last_not_of(" \t") - begin + 1);
    const bool has_plus = cell.size() > 1 && cell[0] == '+' && cell[1] != '-';
    return cell.substr(has_plus ? 1 : 0);
}

std::string folded(std::string_view cell) {
    std::string text(without_blanks(cell));
    std::ranges::transform(text, text.begin(), [](char c) {
        return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

bool is_missing_value(std::string_view cell) {
    constexpr std::array<std::string_view, 11> kMarks{"",    "na",   "n/a",  "n.a.", "#n/a", "<na>",
                                                      "nan", "null", "none", "?",    "-"};
    return std::ranges::find(kMarks, folded(cell)) != kMarks.end();
}

std::vector<std::string> alike_names(const std::vector<std::string>& names) {
    std::vector<std::string> alike;
    std::map<std::string, std::string> first;  // of the names that are alike
    for (const std::string& name : names) {
        const auto [other, is_new] = first.emplace(folded(name), name);
        if (!is_new) {
            alike.push_back("'" + other->second + "' and '" + name + "'");
        }
    }
    return alike;
}

std::vector<std::string> warnings_of_classes(const std::map<std::string, std::size_t>& rows,
                                             const std::string& label,
                                             const std::vector<std::string>& values) {
    std::vector<std::string> warnings;
    std::vector<std::string> names;
    std::size_t count = 0;
    for (const auto& [name, some] : rows) {
        count += some;
        names.push_back(name);
        if (is_missing_value(name)) {
            warnings.push_back(
                detail::join("'", name, "' in the column '", label, "' is a class of its own, of ",
                             some, some == 1 ? " row" : " rows",
                             "; remove rows of missing values, or list it in `classes` if it is "
                             "one"));
        }
    }
    for (const std::string& two : alike_names(names)) {
        warnings.push_back(detail::join(two, " in the column '", label,
                                        "' are two classes, and differ only in blanks or capitals; "
                                        "write them alike, or list both in `classes`"));
    }
    const bool are_all_numbers = are_numbers(names);
    const bool are_predicted = std::ranges::count(values, label) > 0;
    if (are_all_numbers || (rows.size() > kMany && 10 * rows.size() >= 9 * count)) {
        warnings.push_back(detail::join(
            "the column '", label, "' has ", rows.size(), " classes in ", count, " rows",
            are_all_numbers && are_predicted
                ? ", all of them numbers, which `values` predicts; remove `label`"
            : are_all_numbers
                ? detail::join(", all of them numbers; to predict numbers, write "
                               "values = [\"",
                               label, "\"] in place of label, and take MSELoss")
                : ", so that most are in one row; is it a column of names or texts?"));
    }
    return warnings;
}

std::vector<std::string> warnings_of_absent(const std::map<std::string, std::size_t>& rows,
                                            const std::vector<std::string>& listed,
                                            const std::string& label) {
    std::vector<std::string> warnings;
    for (const std::string& one : listed) {
        if (!rows.contains(one)) {
            warnings.push_back(detail::join(
                "`classes` lists '", one, "', but no row has it in the column '", label,
                "': it cannot be learned; add rows, or remove it from the list"));
        }
    }
    return warnings;
}

std::string warning_of_leak(const std::string& column, const std::string& setting) {
    return detail::join("the column '", column,
                        "' is an input and is to be predicted, too: new data do not have it; "
                        "remove it from `",
                        setting, "`");
}

bool are_numbers(const std::vector<std::string>& classes) {
    return classes.size() > kMany && std::ranges::all_of(classes, is_number);
}

std::vector<std::string> warnings_of_folders(const std::vector<std::string>& classes) {
    std::vector<std::string> warnings;
    for (const std::string& two : alike_names(classes)) {
        warnings.push_back(
            "the folders " + two +
            " are two classes, and differ only in blanks or capitals; move the files "
            "into one of them, or list both in `classes`");
    }
    return warnings;
}

}  // namespace ptp::support
