//! A TCP socket that never blocks.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

#[derive(Debug)]
pub struct Socket(OwnedFd);

impl Socket {
    /// Makes a socket for `address`'s family, without delay of small packets.
    pub fn new(address: &SocketAddr) -> io::Result<Self> {
        let family = if address.is_ipv4() {
            libc::AF_INET
        } else {
            libc::AF_INET6
        };
        // SAFETY: a plain system call; the descriptor that it gives is ours alone.
        let socket = unsafe {
            let fd = libc::socket(family, libc::SOCK_STREAM | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC, 0);
            Self(OwnedFd::from_raw_fd(check_result(fd as isize)? as RawFd))
        };
        let on: libc::c_int = 1;
        // SAFETY: the option's value is a valid int that outlives the call.
        check_result(unsafe {
            let value = std::ptr::from_ref(&on).cast();
            libc::setsockopt(
                socket.fd(),
                libc::IPPROTO_TCP,
                libc::TCP_NODELAY,
                value,
                size_of_val(&on) as u32,
            ) as isize
        })?;
        Ok(socket)
    }

    /// Begins to connect; EINPROGRESS means that an event follows.
    pub fn connect(&self, address: &SocketAddr) -> io::Result<()> {
        let result = match address {
            SocketAddr::V4(address) => {
                let to = libc::sockaddr_in {
                    sin_family: libc::AF_INET as libc::sa_family_t,
                    sin_port: address.port().to_be(),
                    sin_addr: libc::in_addr {
                        s_addr: u32::from_ne_bytes(address.ip().octets()),
                    },
                    sin_zero: [0; 8],
                };
                // SAFETY: `to` is a valid address of the length that is given.
                unsafe { libc::connect(self.fd(), std::ptr::from_ref(&to).cast(), size_of_val(&to) as u32) }
            }
            SocketAddr::V6(address) => {
                let to = libc::sockaddr_in6 {
                    sin6_family: libc::AF_INET6 as libc::sa_family_t,
                    sin6_port: address.port().to_be(),
                    sin6_flowinfo: address.flowinfo(),
                    sin6_addr: libc::in6_addr {
                        s6_addr: address.ip().octets(),
                    },
                    sin6_scope_id: address.scope_id(),
                };
                // SAFETY: `to` is a valid address of the length that is given.
                unsafe { libc::connect(self.fd(), std::ptr::from_ref(&to).cast(), size_of_val(&to) as u32) }
            }
        };
        check_result(result as isize).map(|_| ())
    }

    /// The error that ended the attempt to connect, if one did.
    pub fn connect_error(&self) -> io::Result<()> {
        let mut error: libc::c_int = 0;
        let mut size = size_of_val(&error) as libc::socklen_t;
        // SAFETY: both pointers are valid for the sizes given.
        check_result(unsafe {
            let value = std::ptr::from_mut(&mut error).cast();
            libc::getsockopt(self.fd(), libc::SOL_SOCKET, libc::SO_ERROR, value, &mut size) as isize
        })?;
        if error == 0 {
            Ok(())
        } else {
            Err(io::Error::from_raw_os_error(error))
        }
    }

    /// Whether the connection is up (its peer has a name).
    pub fn is_connected(&self) -> bool {
        // SAFETY: the storage is larger than any address, and its size is given.
        unsafe {
            let mut peer: libc::sockaddr_storage = std::mem::zeroed();
            let mut size = size_of_val(&peer) as libc::socklen_t;
            libc::getpeername(self.fd(), std::ptr::from_mut(&mut peer).cast(), &mut size) == 0
        }
    }

    #[inline]
    pub fn receive(&self, buffer: &mut [u8]) -> io::Result<usize> {
        // SAFETY: the buffer is valid for its length.
        check_result(unsafe { libc::recv(self.fd(), buffer.as_mut_ptr().cast(), buffer.len(), 0) })
    }

    /// Peeks at one byte; 0 if the peer closed.
    pub fn peek(&self) -> io::Result<usize> {
        let mut byte = 0u8;
        // SAFETY: the buffer is one valid byte.
        check_result(unsafe { libc::recv(self.fd(), std::ptr::from_mut(&mut byte).cast(), 1, libc::MSG_PEEK) })
    }

    /// The number of sent bytes that the peer's system has acknowledged.
    pub fn acknowledged_bytes(&self) -> io::Result<u64> {
        // struct tcp_info of linux/tcp.h: `tcpi_bytes_acked` is its sixteenth group of eight bytes.
        const PLACE: usize = 15;
        let mut info = [0u64; 32];
        let mut size = size_of_val(&info) as libc::socklen_t;
        // SAFETY: both pointers are valid for the sizes given.
        check_result(unsafe {
            let value = info.as_mut_ptr().cast();
            libc::getsockopt(self.fd(), libc::IPPROTO_TCP, libc::TCP_INFO, value, &mut size) as isize
        })?;
        if (size as usize) < (PLACE + 1) * size_of::<u64>() {
            return Err(io::Error::other("this system does not count acknowledged bytes"));
        }
        // The count includes the SYN.
        Ok(info[PLACE].saturating_sub(1))
    }

    #[inline]
    pub fn send(&self, first: &[u8], second: &[u8]) -> io::Result<usize> {
        if second.is_empty() {
            // SAFETY: the buffer is valid for its length.
            return check_result(unsafe {
                libc::send(self.fd(), first.as_ptr().cast(), first.len(), libc::MSG_NOSIGNAL)
            });
        }
        let piece = |bytes: &[u8]| libc::iovec {
            iov_base: bytes.as_ptr().cast_mut().cast(),
            iov_len: bytes.len(),
        };
        let mut pieces = [piece(first), piece(second)];
        // SAFETY: all zeroes are a valid msghdr; the pieces outlive the call and are only read.
        check_result(unsafe {
            let mut message: libc::msghdr = std::mem::zeroed();
            message.msg_iov = pieces.as_mut_ptr();
            message.msg_iovlen = pieces.len();
            libc::sendmsg(self.fd(), &message, libc::MSG_NOSIGNAL)
        })
    }

    #[inline]
    pub fn fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

#[inline]
pub(super) fn check_result(result: isize) -> io::Result<usize> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::net::TcpListener;
    use std::time::{Duration, Instant};

    /// A socket that is connected to a listener, and the listener's end.
    fn connected() -> (Socket, std::net::TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let socket = Socket::new(&address).unwrap();
        let _ = socket.connect(&address);
        let (stream, _) = listener.accept().unwrap();
        (socket, stream)
    }

    /// Waits until the peer's end is there to be read.
    fn await_end(socket: &Socket) {
        let patience = Instant::now() + Duration::from_secs(60);
        while !matches!(socket.receive(&mut [0; 8]), Ok(0)) {
            assert!(Instant::now() < patience, "the end never came");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn what_was_sent_to_a_closed_peer_is_not_acknowledged_and_what_it_read_before_it_closed_is() {
        let (socket, stream) = connected();
        drop(stream);
        assert_eq!(socket.send(b"request", b"").unwrap(), 7);
        await_end(&socket);
        assert_eq!(socket.acknowledged_bytes().unwrap(), 0);
        let (socket, mut stream) = connected();
        assert_eq!(socket.send(b"request", b"").unwrap(), 7);
        stream.read_exact(&mut [0; 7]).unwrap();
        drop(stream);
        await_end(&socket);
        assert_eq!(socket.acknowledged_bytes().unwrap(), 7);
    }
}
