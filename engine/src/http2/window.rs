//! Flow control (RFC 9113, 5.2) in both directions.

use crate::http::Malformed;

/// The largest window.
const MOST: i64 = 0x7fff_ffff;
/// The initial window of connections, and of streams unless settings change it.
pub const FIRST: i64 = 65_535;

/// The bytes that we may still send; negative after a setting reduced the window.
#[derive(Debug, Clone, Copy)]
pub struct SendWindow(i64);

impl SendWindow {
    pub fn new(size: i64) -> Self {
        Self(size)
    }

    #[inline]
    pub fn room(self) -> usize {
        usize::try_from(self.0).unwrap_or(0)
    }

    #[inline]
    pub fn take(&mut self, bytes: usize) {
        self.0 -= bytes as i64;
    }

    /// Changes the window by `more`, which may be negative.
    pub fn widen(&mut self, more: i64) -> Result<(), Malformed> {
        self.0 += more;
        match self.0 > MOST {
            true => Err(Malformed("a flow-control window beyond 2^31-1")),
            false => Ok(()),
        }
    }
}

/// The bytes that the server may still send. Data is processed at once, so half of the window is returned as soon as it is used.
#[derive(Debug, Clone, Copy)]
pub struct ReceiveWindow {
    whole: u32,
    used: u32,
}

impl ReceiveWindow {
    pub fn new(whole: u32) -> Self {
        Self { whole, used: 0 }
    }

    /// Counts received bytes; returns the increment to send back, if it is time.
    #[inline]
    pub fn take(&mut self, bytes: usize) -> Result<Option<u32>, Malformed> {
        let used = self.used as usize + bytes;
        if used > self.whole as usize {
            return Err(Malformed("more data than the flow-control window allows"));
        }
        self.used = used as u32;
        Ok((self.used > self.whole / 2).then(|| std::mem::take(&mut self.used)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_window_is_given_back_at_once_and_more_than_all_of_it_is_an_error() {
        let mut window = ReceiveWindow::new(100);
        assert_eq!(window.take(50), Ok(None));
        assert_eq!(window.take(50), Ok(Some(100)));
        assert_eq!(window.take(100), Ok(Some(100)));
        assert!(window.take(101).is_err());
    }

    #[test]
    fn a_window_to_send_may_shrink_below_nothing_and_never_grow_beyond_its_bound() {
        let mut window = SendWindow::new(10);
        window.widen(-20).unwrap();
        assert_eq!(window.room(), 0);
        window.widen(15).unwrap();
        assert_eq!(window.room(), 5);
        assert!(window.widen(MOST).is_err());
    }
}
