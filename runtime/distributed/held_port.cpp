// Binds a socket to a free port, of IPv6 where the system has it.

#include "distributed/held_port.hpp"

#include "base/error.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>

namespace ptp::distributed {

HeldPort::HeldPort() {
    using Tcp = boost::asio::ip::tcp;
    boost::asio::io_context context;
    std::string reason;
    for (const Tcp& family : {Tcp::v6(), Tcp::v4()}) {
        try {
            Tcp::acceptor acceptor(context, family);
            fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
            acceptor.set_option(Tcp::acceptor::reuse_address(true));
            if (family == Tcp::v6()) {
                acceptor.set_option(boost::asio::ip::v6_only(false));
            }
            acceptor.bind({family, 0});
            number_ = acceptor.local_endpoint().port();
            socket_ = Descriptor(acceptor.release());
            return;
        } catch (const boost::system::system_error& error) {
            reason = error.code().message();
        }
    }
    throw RunError(kTrainingError,
                   fmt::format("no free port for the processes to meet at: {}", reason));
}

}  // namespace ptp::distributed
