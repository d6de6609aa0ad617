// `ptprun control` and `swap`: command lines as requests to a running training.

#include "ask_run.hpp"
#include "base/explanation.hpp"
#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "control/command.hpp"
#include "plugin/search_path.hpp"
#include "run/paths.hpp"
#include "run/plugins_lock.hpp"
#include "run/resolve.hpp"
#include "run_operand.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <variant>

namespace ptp::ptprun {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 1000;

// Returns the file that a plugin of the run came from, where a newer build is looked for first; the
// files of all plugins that do not come with ptp for another name.
std::string naming_build(const std::string& run, const std::string& name) {
    std::error_code error;
    const auto found = run::find_run(run, run::this_machine());
    const auto* const folder = std::get_if<fs::path>(&found);
    if (folder == nullptr || !fs::exists(*folder / run::kPluginsLockFile, error)) {
        return "";
    }
    Strings builds;
    for (const auto& plugin : run::read_plugins_lock(*folder / run::kPluginsLockFile).plugins) {
        const std::string& source = plugin.generations.back().source;
        if (plugin.name == name) {
            builds = {source};
            break;
        }
        if (!plugin::is_first_party_name(plugin.name)) {
            builds.push_back(source);
        }
    }
    const auto line = [&](const std::string& build) {
        return fmt::format("ptprun swap {} {}", shell_word(run), shell_word(build));
    };
    return join(transformed(builds, line), "\n         ");
}

// Returns an absolute path, because the training may run in another folder.
std::string absolute_path(const std::string& run, const std::string& file) {
    std::error_code error;
    if (!fs::exists(file, error)) {
        throw UsageError(Explanation{
            fmt::format(
                "{}: no such file{}", file,
                fs::path(file).has_extension() ? "" : "; a newer build is named by its file"),
            naming_build(run, file)}
                             .text());
    }
    if (!fs::is_regular_file(file, error)) {
        throw UsageError(fmt::format("{}: is not a file", file));
    }
    const std::string path = fs::absolute(file).lexically_normal().string();
    if (!is_utf8(path)) {
        throw UsageError(fmt::format("{}: a name that is not UTF-8 cannot be sent", file));
    }
    return path;
}

int run_swap(const Given& given) {
    const Strings& words = given.operands();
    std::vector<Value> files;
    for (std::size_t i = 1; i < words.size(); ++i) {
        files.emplace_back(absolute_path(words.front(), words[i]));
    }
    control::Request request{std::string(control::Swap::kName), {}};
    request.arguments.set("files", Value::list(std::move(files)));
    request.arguments.set("dry_run", given.has("dry-run"));
    return ask_run(words.front(), request, given);
}

using control::RequestInfo;

// Returns the word on the command line: "learning-rate".
std::string word_of(std::string name) {
    std::ranges::replace(name, '_', '-');
    return name;
}

// Returns all requests but the swap, which is a command of its own. Their arguments are numbers and
// texts: the first one an operand, the others options, whose names no other request has.
const std::vector<RequestInfo>& requests() {
    static const std::vector<RequestInfo> all = [] {
        std::vector<RequestInfo> made = control::request_list();
        std::erase_if(made,
                      [](const RequestInfo& one) { return one.name == control::Swap::kName; });
        return made;
    }();
    return all;
}

Strings request_words() {
    return transformed(requests(),
                       [](const RequestInfo& request) { return word_of(request.name); });
}

template <class Number>
std::optional<Value> number_from(const std::string& text) {
    Number number = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    return read.ec == std::errc() && read.ptr == end ? std::optional<Value>(number) : std::nullopt;
}

Value value_from(const std::string& request, const schema::Key& argument, const std::string& text) {
    if (argument.form == schema::Form::kString) {
        return text;
    }
    const auto number = argument.form == schema::Form::kInteger ? number_from<std::int64_t>(text)
                                                                : number_from<double>(text);
    if (!number) {
        throw UsageError(
            fmt::format("{} {}: must be {}", request, text, schema::expected_text(argument)));
    }
    return *number;
}

// Adds the options of the request, and rejects those of others.
void add_options(const RequestInfo& request, const Given& given, Value& arguments) {
    for (const RequestInfo& each : requests()) {
        for (std::size_t i = 1; i < each.arguments.size(); ++i) {
            const std::string option = word_of(each.arguments[i].name);
            if (!given.has(option)) {
                continue;
            }
            if (each.name != request.name) {
                throw UsageError(fmt::format("--{}: only {} has it", option, word_of(each.name)));
            }
            arguments.set(each.arguments[i].name,
                          value_from("--" + option, each.arguments[i], given.text(option)));
        }
    }
}

const RequestInfo* find_request(const std::string& word) {
    const auto found = std::ranges::find(
        requests(), word, [](const RequestInfo& request) { return word_of(request.name); });
    return found == requests().end() ? nullptr : &*found;
}

// Names of requests in other programs, and the requests that they mean.
struct FamiliarRequest {
    std::string_view names;  // folded
    std::string_view request;
};

constexpr std::string_view kOneStep = "advance next step";

constexpr std::array kFamiliarRequests = {
    FamiliarRequest{kOneStep, "continue"},
    FamiliarRequest{"go proceed resume start unpause", "continue"},
    FamiliarRequest{"ckpt save save_checkpoint", "checkpoint"},
    FamiliarRequest{"lr rate", "learning-rate"},
    FamiliarRequest{"abort cancel end exit finish halt interrupt kill quit terminate", "stop"},
    FamiliarRequest{"eval evaluate test val", "validate"},
    FamiliarRequest{"hold suspend", "pause"},
    FamiliarRequest{"info progress show state", "status"},
};

// Returns the requests that may be meant by a name like theirs. The one that ends the run is meant
// only by a name with all of its letters: "stpo", but not "top".
Strings likely_words(const std::string& name) {
    const std::string stop(control::Stop::kName);
    Strings words = request_words();
    if (!std::ranges::all_of(stop, [&](char letter) { return name.find(letter) != name.npos; })) {
        std::erase(words, stop);
    }
    return words;
}

// Returns the request that is meant by a name or a key, "training.optimizer.lr"; nullptr: none is.
const RequestInfo* request_meant(const std::string& word) {
    const std::string name = folded(word.substr(word.rfind('.') + 1));
    const auto familiar = std::ranges::find_if(
        kFamiliarRequests, [&](const FamiliarRequest& one) { return has_word(one.names, name); });
    if (familiar != kFamiliarRequests.end()) {
        return find_request(std::string(familiar->request));
    }
    const auto near = nearest(name, likely_words(name));
    return near ? find_request(*near) : nullptr;
}

// Returns the command line with these words after those of ptprun, and the options as typed.
std::string control_line(const Strings& words, const Given& given) {
    std::string line = "ptprun control";
    for (const Strings& part : {words, given.options_without({})}) {
        for (const std::string& word : part) {
            line += " " + shell_word(word);
        }
    }
    return line;
}

// Refuses words that are no request, with the command that is probably meant: `learning-rate 0.1`
// for `lr=0.1` and `set lr 0.1`.
[[noreturn]] void refuse_request(Strings words, const Given& given) {
    Strings line = {words.front()};
    const std::string unknown = words[1];
    words.erase(words.begin(), words.begin() + (unknown == "set" && words.size() > 2 ? 2 : 1));
    if (const std::size_t equals = words.front().find('='); equals != std::string::npos) {
        words.insert(words.begin() + 1, words.front().substr(equals + 1));
        words.front().resize(equals);
    }
    const RequestInfo* const meant = request_meant(words.front());
    if (meant == nullptr) {
        throw UsageError(fmt::format("'{}': unknown request{}", unknown,
                                     hint_among(unknown, likely_words(unknown), request_words())));
    }
    const std::string request = word_of(meant->name);
    line.push_back(request);
    if (!meant->arguments.empty() && words.size() > 1) {
        line.push_back(words[1]);
    } else if (has_word(kOneStep, folded(words.front()))) {
        line.emplace_back("1");
    } else if (!meant->arguments.empty() && meant->arguments.front().is_required) {
        line.emplace_back("NUMBER");
    }
    throw UsageError(
        Explanation{fmt::format("'{}': unknown request; did you mean '{}'?", unknown, request),
                    control_line(line, given)}
            .text());
}

control::Request control_request(const Strings& words, const Given& given) {
    const std::string& word = words[1];
    const RequestInfo* const info = find_request(word);
    if (info == nullptr) {
        refuse_request(words, given);
    }
    control::Request request{info->name, {}};
    if (const std::size_t most = info->arguments.empty() ? 2 : 3; words.size() > most) {
        const auto end = words.begin() + static_cast<std::ptrdiff_t>(most);
        throw UsageError(Explanation{
            fmt::format("'{}' is one word too many after '{}'", words[most], words[most - 1]),
            control_line({words.begin(), end}, given)}
                             .text());
    }
    if (words.size() > 2) {
        const schema::Key& operand = info->arguments.front();
        request.arguments.set(operand.name, value_from(word, operand, words[2]));
    } else if (!info->arguments.empty() && info->arguments.front().is_required) {
        throw UsageError(
            Explanation{fmt::format("{}: the {} is needed", word, info->arguments.front().name),
                        control_line({words.front(), word, "NUMBER"}, given)}
                .text());
    }
    add_options(*info, given, request.arguments);
    try {
        const control::AnyRequest parsed = control::parse(request);
        if (!std::holds_alternative<control::Status>(parsed) && given.has("all")) {
            throw UsageError("--all: only status has it");
        }
    } catch (const control::ProtocolError& error) {
        throw UsageError(error.what());
    }
    return request;
}

// Returns lines such as "  continue [EPISODES]    ends a pause".
std::string request_lines() {
    std::string text = "REQUEST is one of:\n";
    for (const RequestInfo& request : requests()) {
        std::string usage = word_of(request.name);
        if (!request.arguments.empty()) {
            const schema::Key& operand = request.arguments.front();
            std::string name = word_of(operand.name);
            std::ranges::transform(name, name.begin(), [](unsigned char letter) {
                return static_cast<char>(std::toupper(letter));
            });
            usage += operand.is_required ? " " + name : " [" + name + "]";
        }
        text += fmt::format("  {:<22} {}\n", usage, request.help);
    }
    return text;
}

std::vector<Option> control_options() {
    std::vector<Option> options;
    for (const RequestInfo& request : requests()) {
        for (std::size_t i = 1; i < request.arguments.size(); ++i) {
            const schema::Key& argument = request.arguments[i];
            options.push_back(
                {.name = word_of(argument.name),
                 .value = argument.form == schema::Form::kString ? "NAME" : "NUMBER",
                 .help = fmt::format("with {}: {}", word_of(request.name), argument.help)});
        }
    }
    return options;
}

int run_control(const Given& given) {
    return ask_run(given.operands().front(), control_request(given.operands(), given), given);
}

}  // namespace

Command swap_command() {
    return {
        .name = "swap",
        .summary = "exchanges plugins of a running training",
        .operands = {declared_run(),
                     {.name = "PLUGIN-FILE",
                      .what = "a plugin file",
                      .max = kMaxFiles,
                      .completions = {tools::kFiles}}},
        .options = tools::concat(
            {{{.name = "dry-run", .help = "check whether the swap would work, without doing it"}},
             asking_options()}),
        .example = "ptprun swap runs/net/20260131_120000 build/my_plugin.so --dry-run",
        .run = run_swap};
}

Command control_command() {
    return {.name = "control",
            .summary = "shows or steers a running training",
            .details = request_lines(),
            .operands = {declared_run(),
                         {.name = "REQUEST", .what = "a request", .completions = request_words()},
                         {.name = "VALUE", .what = "a value", .min = 0, .max = 3}},
            .options =
                tools::concat({control_options(),
                               {{.name = "all", .help = "with status: print everything, as TOML"}},
                               asking_options()}),
            .example = "ptprun control runs/net/20260131_120000 learning-rate 0.001",
            .run = run_control};
}

}  // namespace ptp::ptprun
