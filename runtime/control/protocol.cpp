// Writes and reads the lines of JSON between a client and a run.

#include "control/protocol.hpp"

#include "base/json.hpp"
#include "base/suggest.hpp"
#include "control/command.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace ptp::control {

namespace {

Json object_in(std::string_view line, const char* what) {
    std::optional<Json> json = parsed_json(line);
    if (!json) {
        throw ProtocolError(fmt::format("the {} is not JSON", what));
    }
    if (!json->is_object()) {
        throw ProtocolError(fmt::format("the {} is not a JSON object", what));
    }
    return *std::move(json);
}

// Returns a member that must be a table; an empty one if it is absent.
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
    parse(request);
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
