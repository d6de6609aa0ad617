// Lists the requests by what each declares, and checks a request or an entry of a journal.

#include "control/command.hpp"

#include "base/diagnostics.hpp"
#include "base/suggest.hpp"
#include "schema/fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace ptp::control {

namespace {

template <std::size_t... kPlaces>
std::vector<Command> one_of_each(std::index_sequence<kPlaces...>) {
    return {Command(std::in_place_index<kPlaces>)...};
}

std::vector<Command> one_of_each() {
    return one_of_each(std::make_index_sequence<std::variant_size_v<Command>>());
}

CommandInfo info_of(auto& command) {
    CommandInfo info{std::string(command.kName), std::string(command.kHelp), command.kIsJournalled};
    for (const schema::Field& field : command.fields()) {
        info.arguments.push_back(schema::key_of(field));
    }
    return info;
}

std::string unknown_command(const std::string& name, const std::vector<std::string>& known) {
    return fmt::format("unknown command '{}'{}", name, hint(name, known));
}

}  // namespace

const std::vector<CommandInfo>& command_list() {
    static const std::vector<CommandInfo> list = [] {
        std::vector<CommandInfo> made;
        for (Command& command : one_of_each()) {
            made.push_back(std::visit([](auto& each) { return info_of(each); }, command));
        }
        return made;
    }();
    return list;
}

Command parse(const Request& request) {
    const std::vector<CommandInfo>& known = command_list();
    const auto found = std::ranges::find(known, request.command, &CommandInfo::name);
    if (found == known.end()) {
        std::vector<std::string> names;
        std::ranges::transform(known, std::back_inserter(names), &CommandInfo::name);
        throw ProtocolError(unknown_command(request.command, names));
    }
    Command command = one_of_each()[static_cast<std::size_t>(found - known.begin())];
    Diagnostics problems;
    const schema::ReadOptions unused;
    const schema::Scope scope{request.arguments, request.command, unused, problems};
    const auto read = [&](auto& each) {
        schema::read_all_fields(scope, each.fields());
        if constexpr (requires { each.check(problems); }) {
            each.check(problems);
        }
    };
    std::visit(read, command);
    if (!problems.ok()) {
        throw ProtocolError(problems.text());
    }
    return command;
}

bool is_swap(const run::Entry& entry) {
    return entry.command == Swap::kName;
}

bool is_set(const run::Entry& entry) {
    return entry.command == kSetCommand;
}

void check_entry(const run::Entry& entry) {
    std::vector<std::string> known;
    for (const CommandInfo& command : command_list()) {
        if (command.is_journalled) {
            known.push_back(command.name);
        }
    }
    known.emplace_back(kSetCommand);
    if (std::ranges::find(known, entry.command) == known.end()) {
        throw ProtocolError(unknown_command(entry.command, known));
    }
    if (!is_set(entry) && !is_swap(entry)) {
        parse({entry.command, entry.arguments});
    }
}

}  // namespace ptp::control
