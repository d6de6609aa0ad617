// ptprun: checks, draws and trains experiments.

#include "base/exit_code.hpp"
#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/system_file.hpp"
#include "base/temporary_folders.hpp"
#include "base/text.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "common/program.hpp"
#include "experiment/familiar_names.hpp"
#include "help.hpp"
#include "host/open_engine.hpp"
#include "host/prepare.hpp"
#include "pipeline/draft.hpp"
#include "report.hpp"
#include "run/paths.hpp"
#include "run_operand.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <locale>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::ptprun {

namespace {

bool is_known(const char* name) {
    try {
        const std::locale locale(name);
        return true;
    } catch (const std::runtime_error&) {
        return false;
    }
}

// Sets C.UTF-8 for this process and its children if the environment's locale is not installed:
// libraries request it, and throw otherwise; ssh forwards names that the machine may not know. To
// be called first.
void require_known_locale() {
    if (!is_known("")) {
        setenv("LC_ALL", is_known("C.UTF-8") ? "C.UTF-8" : "C", 1);
    }
}

// A file that is opened while a standard stream is closed would take its place, and get what is
// printed. The output is opened so that nothing can be written to it: who asks for text that cannot
// be printed gets an error.
void open_standard_streams() {
    for (int descriptor = 0; descriptor <= 2; ++descriptor) {
        if (fcntl(descriptor, F_GETFD) == -1) {
            open("/dev/null", descriptor == 2 ? O_WRONLY : O_RDONLY);
        }
    }
}

// Returns "; did you mean 'x'?" for a command or a program, or the list of all.
std::string hint_with_programs(const std::string& word, std::vector<std::string> names) {
    const std::vector<std::string> programs = programs_beside();
    if (nearest(word, programs) && !nearest(word, names)) {
        return hint(word, programs);
    }
    if (!nearest(word, names)) {
        names.insert(names.end(), programs.begin(), programs.end());
    }
    return hint(word, names);
}

// Returns whether ptp has a program of this name, built or not.
bool is_program_of_ptp(const std::string& word) {
    return std::string_view(PTP_PROGRAMS).find(" " + word + " ") != std::string_view::npos;
}

// A word that is neither an option nor a file, but nearly a command; the name of a program of ptp,
// or of a command of another program, is meant so beside a folder of data with this name.
bool is_mistyped_command(const std::string& word) {
    if (word.starts_with('-') || word.find_first_of("./") != std::string::npos) {
        return false;
    }
    std::error_code ignored;  // what cannot be read is data
    const bool is_other_folder =
        std::filesystem::is_directory(word, ignored) &&
        !std::filesystem::exists(std::filesystem::path(word) / run::kExperimentFile, ignored);
    const bool is_command =
        is_program_of_ptp(word) || !advice_on_command({word}, commands()).empty();
    return !std::filesystem::exists(folder_operand(word)) || (is_other_folder && is_command);
}

int refuse_command(const Strings& arguments) {
    const std::string& word = arguments.front();
    if (is_program_of_ptp(word)) {
        show_error(fmt::format(
            "'{0}' is the program ptp-{0}, which is neither beside ptprun nor on the PATH\n"
            "    fix: in a source tree, ./dev build release installed",
            word));
        return kConfigurationError;
    }
    if (const std::string advice = advice_on_command(arguments, commands()); !advice.empty()) {
        show_error(fmt::format("'{}' is not a command{}", word, advice));
        return kConfigurationError;
    }
    if (const auto meanings = experiment::meanings_of(word); !meanings.empty()) {
        show_error(
            fmt::format("'{0}' is not a command\n    fix: {0}: {1}", word, meanings.front()));
        return kConfigurationError;
    }
    std::vector<std::string> names;
    for (const Command& command : commands()) {
        if (!command.name.empty()) {
            names.emplace_back(command.name);
        }
    }
    const std::string file = word + ".toml";
    const bool is_file = std::filesystem::exists(file);
    Strings words = arguments;
    words.front() = file;
    show_error(fmt::format(
        "'{}' is neither a file nor a command{}", word,
        is_file ? "\n    fix: ptprun " + join(words, " ") : hint_with_programs(word, names)));
    return kConfigurationError;
}

// Becomes the program ptp-NAME, if the first word is a NAME and there is one; what is a command or
// lies here is no such name, but for a folder of data.
void become_program(const Strings& words) {
    if (words.empty() || !is_mistyped_command(words.front())) {
        return;
    }
    if (const auto program = find_program(words.front())) {
        become(*program, Strings(words.begin() + 1, words.end()));
    }
}

// Returns a line "WORD  MEANING" for each word of ptp and of other programs, in their order.
std::string glossary() {
    std::vector<experiment::Word> words(experiment::glossary().begin(),
                                        experiment::glossary().end());
    words.insert(words.end(), experiment::own_words().begin(), experiment::own_words().end());
    const auto lower = [](char letter) { return std::tolower(static_cast<unsigned char>(letter)); };
    std::ranges::sort(words, [&](const experiment::Word& one, const experiment::Word& other) {
        return std::ranges::lexicographical_compare(one.name, other.name, {}, lower, lower);
    });
    std::string text;
    for (const experiment::Word& word : words) {
        text += fmt::format("{:<40}  {}\n", word.name, word.meaning);
    }
    return text;
}

// Returns "metric: a statistic: ..." for a word of the glossary; "" for any other.
std::string meaning_of(const std::string& word) {
    std::string text;
    for (const auto& meanings :
         {experiment::own_meanings_of(word), experiment::meanings_of(word)}) {
        for (const std::string_view meaning : meanings) {
            text += fmt::format("{}: {}\n", word, meaning);
        }
    }
    return text;
}

// Returns whether a text has a word; a short one, such as "mse", only where a word begins.
bool has_word(const std::string& text, const std::string& word) {
    constexpr std::size_t kShort = 4;
    std::size_t at = text.find(word);
    while (word.size() <= kShort && at != std::string::npos && at != 0 &&
           std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0) {
        at = text.find(word, at + 1);
    }
    return at != std::string::npos;
}

// Returns whether a name or its help has all these words, in any order, also as parts of words.
bool has_words(const std::string& name, const std::string& help, const Strings& words) {
    constexpr std::size_t kMinLetters = 3;  // of all words; fewer are in anything
    if (join(words, "").size() < kMinLetters) {
        return false;
    }
    const std::string text = folded(name + " " + help);
    return std::ranges::all_of(
        words, [&](const std::string& word) { return has_word(text, folded(word)); });
}

// Returns the terms of the glossary that have all these words: "overfitting" for "overfit".
std::string terms_with(const Strings& words) {
    std::string text;
    for (const experiment::Word& word : experiment::glossary()) {
        if (has_words(std::string(word.name), "", words)) {
            text += fmt::format("{}: {}\n", word.name, word.meaning);
        }
    }
    return text;
}

// Returns what the declarations have for words that the glossary lacks: a key, components by their
// names and summaries, and otherwise those with a setting of the words; "" if nothing has them.
std::string declared_with(const Strings& words) {
    constexpr std::size_t kMaxNamed = 8;
    const std::string typed = join(words, " ");
    std::string text;
    if (const auto key = experiment::familiar_key(join(words, "_"))) {
        text = fmt::format("{}: the key {}: docs/reference.md\n", typed, *key);
    }
    const plugin::Catalog catalog = host::find_plugins({}, {});
    const Strings familiar = experiment::familiar_settings(join(words, "_"));
    Strings components;
    std::map<std::string, Strings> settings;
    for (const plugin::Component* component : pipeline::components_of(catalog)) {
        if (has_words(component->name, component->summary, words) ||
            pipeline::is_meant_by(*component, join(words, ""))) {
            components.push_back(
                fmt::format("{}: {}, {}\n", typed, component->name, component->summary));
        }
        for (const plugin::Setting& setting : component->settings) {
            if (has_words(setting.name, setting.help, words) || contains(familiar, setting.name)) {
                settings[setting.name].push_back(component->name);
            }
        }
    }
    if (text.empty() && components.empty()) {
        for (auto& [setting, of] : settings) {
            const std::size_t all = of.size();
            of.resize(std::min(all, kMaxNamed));
            text += fmt::format("{}: the setting {} of {}{}\n", typed, setting, join(of, ", "),
                                all > kMaxNamed ? " and others" : "");
        }
    }
    const std::size_t shown = std::min(components.size(), kMaxNamed);
    text += join(std::span(components).first(shown), "");
    return shown < components.size() ? text + fmt::format("{}: and {} more: ptp-inspect\n", typed,
                                                          components.size() - shown)
                                     : text;
}

// `ptprun help`, `ptprun help check`, `ptprun help words`, `ptprun help metric`.
int help(const Strings& arguments) {
    if (arguments.size() < 2) {
        const bool lists_programs = !arguments.empty() && arguments.front() == "help";
        fmt::print("{}{}", overview(), lists_programs ? overview_of_programs() : "");
        return printed(kDone);
    }
    const Strings asked(arguments.begin() + 1, arguments.end());
    const std::string term = join(asked, " ");
    const Command* command = find_command(asked.front());
    const std::string words = term == "words" ? glossary() : meaning_of(term);
    if ((command == nullptr || asked.size() > 1) && !words.empty()) {
        static_cast<void>(std::fputs(words.c_str(), stdout));  // printed() looks at what failed
        return printed(kDone);
    }
    if (command == nullptr) {
        if (const auto program = find_program(term)) {
            become(*program, {"--help"});
        }
        const std::string declared = declared_with(asked);
        const std::string found = declared.empty() ? terms_with(asked) : declared;
        if (!found.empty()) {
            static_cast<void>(std::fputs(found.c_str(), stdout));
            return printed(kDone);
        }
        std::vector<std::string> names;
        for (const Command& known : commands()) {
            names.emplace_back(help_name(known));
        }
        show_error(
            fmt::format("'{}' is neither a command nor a term of the glossary{}\n"
                        "    help: ptprun help words; ptp-inspect NAME shows a component",
                        term, hint_with_programs(term, names)));
        return kConfigurationError;
    }
    fmt::print("{}", help_of(*command, kProgram));
    return printed(kDone);
}

int dispatch(Strings arguments) {
    const Strings typed = arguments;
    become_program(typed);  // before it loses an option that is called as one of all commands
    if (arguments.empty() || arguments.front() != "completion") {  // which is asked about it
        tools::take_color_option(arguments);
    }
    const std::string first = arguments.empty() ? "--help" : arguments.front();
    if (first == "--help" || first == "-h" || first == "help") {
        const int code = help(arguments);
        return arguments.empty() ? kConfigurationError : code;
    }
    if (first == "--version") {
        fmt::print("ptprun {}\n", PTP_VERSION);
        return printed(kDone);
    }
    const auto named = std::ranges::find(commands(), first, &Command::name);
    if (named != commands().end()) {
        const Strings words(arguments.begin() + 1, arguments.end());
        return run_named(*named, words, advice_on_option(*named, words, commands()));
    }
    if (is_mistyped_command(first)) {
        if (arguments.front() != typed.front()) {  // an option stood before it
            become_program(arguments);
        }
        return refuse_command(arguments);
    }
    const Command& run = *find_command("run");
    return run_named(run, arguments, advice_on_option(run, arguments, commands()));
}

// With less than this the program or libtorch would end by a signal where they call deeply, and so
// would threads, whose stacks are as large.
void require_stack() {
    constexpr rlim_t kUsualStack = rlim_t{8} << 20U;
    constexpr rlim_t kMinStack = rlim_t{512} << 10U;
    rlimit limit{};
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kUsualStack) {
        return;
    }
    const rlim_t wanted = std::min(kUsualStack, limit.rlim_max);
    limit.rlim_cur = wanted;
    pthread_attr_t attributes{};
    static_cast<void>(setrlimit(RLIMIT_STACK, &limit));
    if (pthread_attr_init(&attributes) == 0) {
        static_cast<void>(pthread_attr_setstacksize(&attributes, kUsualStack));
        static_cast<void>(pthread_setattr_default_np(&attributes));
        static_cast<void>(pthread_attr_destroy(&attributes));
    }
    if (wanted < kMinStack) {
        show_error(
            fmt::format("the stack may have {} KiB here, ptprun needs {}\n    fix: ulimit -s {}",
                        wanted >> 10U, kMinStack >> 10U, kUsualStack >> 10U));
        std::exit(kConfigurationError);
    }
}

}  // namespace

std::string_view help_name(const Command& command) {
    return command.name.empty() ? std::string_view("run") : command.name;
}

const Command* find_command(std::string_view name) {
    const auto found = std::ranges::find(commands(), name, help_name);
    return found == commands().end() ? nullptr : &*found;
}

std::string overview() {
    std::string text;
    for (Command command : commands()) {
        text += lines_of_programs(command.name);
        command.options.clear();  // those that are required are in the help of the command
        text += command.name.empty()
                    ? fmt::format(
                          "usage: ptprun {} [OPTION]...   {}\n       ptprun COMMAND ...   "
                          "help run, help COMMAND: options; help words: terms\n",
                          usage_of(command), command.summary)
                    : fmt::format("  {:<31}  {}\n", usage_of(command), command.summary);
    }
    return text + "exit codes: 0 done, 2 wrong input, 3 plugin, 4 data, 5 training, 6 diverged\n";
}

int run_program(const Strings& words) {
    return shown([&] { return dispatch(words); });
}

}  // namespace ptp::ptprun

int main(int argc, char** argv) {
    ptp::ptprun::take_signals();
    ptp::ptprun::open_standard_streams();
    ptp::ptprun::require_stack();
    ptp::ptprun::require_known_locale();
    ptp::system::report_size_limit();
    ptp::system::outlive_reader();
    ptp::remove_temporary_folders_on_signals();
    ptp::host::leave(ptp::ptprun::run_program({argv + 1, argv + argc}));
}
