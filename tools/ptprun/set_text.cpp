// Finds the key of an experiment that another program's key means, and writes --set for it.

#include "set_text.hpp"

#include "base/diagnostics.hpp"
#include "base/shell_words.hpp"
#include "base/value.hpp"
#include "experiment/familiar_names.hpp"
#include "experiment/load/override.hpp"
#include "sweep_points.hpp"

namespace ptp::ptprun {

std::string set_text(const std::string& key, const std::string& value) {
    Diagnostics unsaid;
    const auto read = experiment::read_override("value=" + value, 1, unsaid);
    const std::size_t dot = key.rfind('.');
    const std::string table = key.substr(0, dot == key.npos ? 0 : dot);
    const Member member{key.substr(dot + 1), {}, read ? read->value : Value(value)};
    const auto meant = experiment::familiar_key_in({member, table});
    if (!meant || meant->keys.size() != 1 || (!value.empty() && !meant->expected.empty()) ||
        meant->keys.front().starts_with("pipeline.")) {  // whose components have other names here
        return "";
    }
    const std::string written = value.empty() ? "..." : meant->value.empty() ? value : meant->value;
    return "--set " + shell_word(meant->keys.front() + "=" + written);
}

std::string sweep_set_text(const std::string& key, const std::string& values) {
    Diagnostics unsaid;
    const auto each = alternatives("value=" + values, 0, unsaid);
    if (each.size() < 2 || !unsaid.ok()) {
        return set_text(key, values);
    }
    const std::string first = set_text(key, each.front().substr(each.front().find('=') + 1));
    const std::size_t begin = first.find(' ') + 1;
    const bool is_quoted = first.find('\'') != first.npos;  // as another value than the given one
    return first.empty() || is_quoted
               ? ""
               : "--set " + shell_word(first.substr(begin, first.find('=') + 1 - begin) + values);
}

}  // namespace ptp::ptprun
