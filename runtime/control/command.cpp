// Lists the requests by what each declares, and checks a request or an entry of a journal.

#include "control/command.hpp"

#include "base/diagnostics.hpp"
#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "schema/fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace ptp::control {

namespace {

template <std::size_t... kPlaces>
std::vector<AnyRequest> one_of_each(std::index_sequence<kPlaces...>) {
    return {AnyRequest(std::in_place_index<kPlaces>)...};
}

std::vector<AnyRequest> one_of_each() {
    return one_of_each(std::make_index_sequence<std::variant_size_v<AnyRequest>>());
}

RequestInfo info_of(auto& request) {
    RequestInfo info{std::string(request.kName), std::string(request.kHelp), request.kIsJournalled};
    for (const schema::Field& field : request.fields()) {
        info.arguments.push_back(schema::key_of(field));
    }
    return info;
}

std::string unknown_command(const std::string& name, const std::vector<std::string>& known) {
    return fmt::format("unknown command '{}'{}", name, hint(name, known));
}

}  // namespace

const std::vector<RequestInfo>& request_list() {
    static const std::vector<RequestInfo> list = [] {
        std::vector<RequestInfo> made;
        for (AnyRequest& request : one_of_each()) {
            made.push_back(std::visit([](auto& each) { return info_of(each); }, request));
        }
        return made;
    }();
    return list;
}

AnyRequest parse(const Request& request) {
    const std::vector<RequestInfo>& known = request_list();
    const auto found = std::ranges::find(known, request.command, &RequestInfo::name);
    if (found == known.end()) {
        const std::vector<std::string> names = transformed(known, &RequestInfo::name);
        throw ProtocolError(unknown_command(request.command, names));
    }
    AnyRequest parsed = one_of_each()[static_cast<std::size_t>(found - known.begin())];
    Diagnostics problems;
    const schema::ReadOptions unused;
    const schema::Scope scope{request.arguments, request.command, unused, problems};
    const auto read = [&](auto& each) {
        schema::read_all_fields(scope, each.fields());
        if constexpr (requires { each.check(problems); }) {
            each.check(problems);
        }
    };
    std::visit(read, parsed);
    if (!problems.ok()) {
        throw ProtocolError(problems.text());
    }
    return parsed;
}

bool is_swap(const run::Entry& entry) {
    return entry.command == Swap::kName;
}

bool is_set(const run::Entry& entry) {
    return entry.command == kSetCommand;
}

void check_entry(const run::Entry& entry) {
    std::vector<std::string> known;
    for (const RequestInfo& request : request_list()) {
        if (request.is_journalled) {
            known.push_back(request.name);
        }
    }
    known.emplace_back(kSetCommand);
    if (!contains(known, entry.command)) {
        throw ProtocolError(unknown_command(entry.command, known));
    }
    if (!is_set(entry) && !is_swap(entry)) {
        parse({entry.command, entry.arguments});
    }
}

}  // namespace ptp::control
