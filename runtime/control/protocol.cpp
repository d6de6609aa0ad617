#include "control/protocol.hpp"

#include "base/diagnostics.hpp"
#include "base/json.hpp"
#include "base/suggest.hpp"
#include "experiment/fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

namespace ptp::control {

namespace {

// What is read is only checked; the request keeps the values.
struct Arguments {
    double rate = 0;
    std::string group;
    std::optional<std::int64_t> episodes;
    experiment::Raw files = nullptr;
    bool is_dry_run = false;
};

std::vector<experiment::Field> fields_of(const std::string& command, Arguments& into) {
    if (command == "learning_rate") {
        return {{.name = "rate", .into = &into.rate, .range = "[0, inf)", .is_required = true},
                {.name = "group", .into = &into.group}};
    }
    if (command == "continue") {
        return {{.name = "episodes", .into = &into.episodes, .range = "[1, inf)"}};
    }
    if (command == "swap") {
        return {{.name = "files", .into = &into.files, .is_required = true},
                {.name = "dry_run", .into = &into.is_dry_run}};
    }
    return {};
}

bool is_absolute_path(const Value& value) {
    return value.is_string() && std::filesystem::path(value.as_string()).is_absolute() &&
           value.as_string().find('\0') == std::string::npos;
}

void check_files(experiment::Raw files, Diagnostics& problems) {
    if (files == nullptr) {
        return;
    }
    const bool is_right = files->is_list() && !files->items().empty() &&
                          std::ranges::all_of(files->items(), is_absolute_path);
    if (!is_right) {
        problems.error(*files, "swap.files", "must be a list of absolute paths, at least one");
    }
}

Json object_in(std::string_view line, const char* what) {
    Json json = Json::parse(line, nullptr, false);
    if (json.is_discarded()) {
        throw ProtocolError(fmt::format("the {} is not JSON", what));
    }
    if (!json.is_object()) {
        throw ProtocolError(fmt::format("the {} is not a JSON object", what));
    }
    return json;
}

// A member that must be a table; an empty one where it is absent.
Value table_at(const Json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end()) {
        return {};
    }
    if (!found->is_object()) {
        throw ProtocolError(fmt::format("'{}' must be an object", key));
    }
    try {
        return value_of(*found);
    } catch (const std::invalid_argument& error) {
        throw ProtocolError(fmt::format("'{}': {}", key, error.what()));
    }
}

void refuse_others(const Json& json, const std::vector<std::string>& known) {
    for (const auto& [key, value] : json.items()) {
        if (std::ranges::find(known, key) == known.end()) {
            throw ProtocolError(fmt::format("unknown key '{}'{}", key, hint(key, known)));
        }
    }
}

}  // namespace

Reply Reply::failure(std::string message, ExitCode code) {
    return {.is_ok = false,
            .message = std::move(message),
            .result = Value::table({{"exit_code", static_cast<int>(code)}})};
}

int Reply::exit_code() const {
    if (is_ok) {
        return kDone;
    }
    const Value* code = result.find("exit_code");
    const bool is_code =
        code != nullptr && code->is_integer() && code->as_integer() > 0 && code->as_integer() < 256;
    return is_code ? static_cast<int>(code->as_integer()) : kConfigurationError;
}

const std::vector<std::string>& commands() {
    static const std::vector<std::string> all = {
        "status", "pause", "continue", "checkpoint", "validate", "learning_rate", "swap"};
    return all;
}

void check(const Request& request) {
    if (std::ranges::find(commands(), request.command) == commands().end()) {
        throw ProtocolError(fmt::format("unknown command '{}'{}", request.command,
                                        hint(request.command, commands())));
    }
    Diagnostics problems;
    Arguments arguments;
    const experiment::ReadOptions unused;
    const experiment::Scope scope{request.arguments, request.command, unused, problems};
    experiment::read_all_fields(scope, fields_of(request.command, arguments));
    check_files(arguments.files, problems);
    if (!problems.ok()) {
        throw ProtocolError(problems.text());
    }
}

std::string line_of(const Request& request) {
    return text_of({{"command", request.command}, {"arguments", json_of(request.arguments)}});
}

std::string line_of(const Reply& reply) {
    return text_of(
        {{"ok", reply.is_ok}, {"message", reply.message}, {"result", json_of(reply.result)}});
}

Request read_request(std::string_view line) {
    const Json json = object_in(line, "request");
    refuse_others(json, {"command", "arguments"});
    const auto command = json.find("command");
    if (command == json.end() || !command->is_string()) {
        throw ProtocolError("the request has no 'command', or one that is not a string");
    }
    Request request{command->get<std::string>(), table_at(json, "arguments")};
    check(request);
    return request;
}

Reply read_reply(std::string_view line) {
    const Json json = object_in(line, "reply");
    const auto is_ok = json.find("ok");
    const auto message = json.find("message");
    if (is_ok == json.end() || !is_ok->is_boolean() || message == json.end() ||
        !message->is_string()) {
        throw ProtocolError("the reply has no 'ok' or no 'message'");
    }
    return {is_ok->get<bool>(), message->get<std::string>(), table_at(json, "result")};
}

}  // namespace ptp::control
