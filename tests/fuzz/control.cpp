#include "control/protocol.hpp"
#include "fuzz/expect.hpp"
#include "fuzz/targets.hpp"

#include <string>

namespace ptp::fuzz {

void control(std::string_view input) {
    try {
        const std::string line = control::line_of(control::read_request(input));
        expect(control::line_of(control::read_request(line)) == line,
               "what is sent of a request is read again");
    } catch (const control::ProtocolError&) {
    }
    try {
        const std::string line = control::line_of(control::read_reply(input));
        expect(control::line_of(control::read_reply(line)) == line,
               "what is sent of a reply is read again");
    } catch (const control::ProtocolError&) {
    }
}

}  // namespace ptp::fuzz
