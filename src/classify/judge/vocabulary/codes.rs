//! Numbers that systems give their network errors, which read the same in every language. Invariant: a number counts only
//! in a form that says whose number it is; what each means is from the vendor's own list.
//!
//! Sources: Microsoft "Windows Sockets Error Codes", "WinHTTP Error Messages" (WinINet uses the same numbers), HRESULT
//! 0x8007nnnn is Win32 error nnnn; Apple "URL Loading System Error Codes" (NSURLError.h).

use std::collections::HashSet;
use std::sync::OnceLock;

use super::Says::{self, Never, Open};
use super::table::VOCABULARY;
use super::{Basis, Row};
use crate::terms::outcome::Symptom::*;

struct Code {
    number: i32,
    says: Says,
    name: &'static str,
}

const fn code(number: i32, says: Says, name: &'static str) -> Code {
    Code { number, says, name }
}

/// Win32 numbers: Winsock, WinHTTP and WinINet.
const WINDOWS: &[Code] = &[
    code(10049, Never(Unreachable), "WSAEADDRNOTAVAIL"),
    code(10050, Open(Closed), "WSAENETDOWN, of an open connection as well"),
    code(10051, Never(Unreachable), "WSAENETUNREACH"),
    code(10053, Open(Closed), "WSAECONNABORTED"),
    code(10054, Open(Reset), "WSAECONNRESET"),
    code(10060, Open(Timeout), "WSAETIMEDOUT, of a connection or of what was sent on it"),
    code(10061, Never(Refused), "WSAECONNREFUSED"),
    code(10064, Never(Unreachable), "WSAEHOSTDOWN"),
    code(10065, Never(Unreachable), "WSAEHOSTUNREACH"),
    code(11001, Never(Dns), "WSAHOST_NOT_FOUND"),
    code(11002, Never(Dns), "WSATRY_AGAIN"),
    code(11003, Never(Dns), "WSANO_RECOVERY"),
    code(11004, Never(Dns), "WSANO_DATA"),
    code(12002, Open(Timeout), "ERROR_WINHTTP_TIMEOUT"),
    code(12007, Never(Dns), "ERROR_WINHTTP_NAME_NOT_RESOLVED"),
    code(12017, Open(Closed), "ERROR_WINHTTP_OPERATION_CANCELLED"),
    code(12029, Never(Refused), "ERROR_WINHTTP_CANNOT_CONNECT"),
    code(12030, Open(Closed), "ERROR_WINHTTP_CONNECTION_ERROR"),
    code(12031, Open(Reset), "ERROR_INTERNET_CONNECTION_RESET"),
    code(12032, Open(Closed), "ERROR_WINHTTP_RESEND_REQUEST"),
    code(12037, Never(Tls), "ERROR_WINHTTP_SECURE_CERT_DATE_INVALID"),
    code(12038, Never(Tls), "ERROR_WINHTTP_SECURE_CERT_CN_INVALID"),
    code(12045, Never(Tls), "ERROR_WINHTTP_SECURE_INVALID_CA"),
    code(12152, Open(BadReply), "ERROR_WINHTTP_INVALID_SERVER_RESPONSE"),
    code(12157, Open(Closed), "ERROR_WINHTTP_SECURE_CHANNEL_ERROR, in the handshake or after it"),
    code(12163, Open(Closed), "ERROR_INTERNET_DISCONNECTED, in the middle of a call as well"),
    code(12175, Open(Closed), "WinHTTP's SECURE_FAILURE, but WinINet's DECODING_FAILED, of a reply"),
];

/// NSURLErrorDomain.
const APPLE: &[Code] = &[
    code(-999, Open(Closed), "NSURLErrorCancelled"),
    code(-1001, Open(Timeout), "NSURLErrorTimedOut"),
    code(-1003, Never(Dns), "NSURLErrorCannotFindHost"),
    code(-1004, Never(Refused), "NSURLErrorCannotConnectToHost"),
    code(-1005, Open(Closed), "NSURLErrorNetworkConnectionLost"),
    code(-1006, Never(Dns), "NSURLErrorDNSLookupFailed"),
    code(-1009, Never(Unreachable), "NSURLErrorNotConnectedToInternet"),
    code(-1011, Open(BadReply), "NSURLErrorBadServerResponse"),
    code(-1015, Says::Sent(BadReply), "NSURLErrorCannotDecodeRawData"),
    code(-1016, Says::Sent(BadReply), "NSURLErrorCannotDecodeContentData"),
    code(-1017, Says::Sent(BadReply), "NSURLErrorCannotParseResponse"),
    code(-1018, Never(Unreachable), "NSURLErrorInternationalRoamingOff"),
    code(-1019, Never(Unreachable), "NSURLErrorCallIsActive"),
    code(-1020, Never(Unreachable), "NSURLErrorDataNotAllowed"),
    code(-1021, Open(Closed), "NSURLErrorRequestBodyStreamExhausted"),
    code(-1200, Never(Tls), "NSURLErrorSecureConnectionFailed"),
    code(-1201, Never(Tls), "NSURLErrorServerCertificateHasBadDate"),
    code(-1202, Never(Tls), "NSURLErrorServerCertificateUntrusted"),
    code(-1203, Never(Tls), "NSURLErrorServerCertificateHasUnknownRoot"),
    code(-1204, Never(Tls), "NSURLErrorServerCertificateNotYetValid"),
];

/// A row for each form in which a number is written, but for those that a table has already.
pub fn rows() -> &'static [Row] {
    static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let windows = WINDOWS.iter().flat_map(|code| windows(code.number).map(move |form| (code, form)));
        let apple = APPLE.iter().flat_map(|code| apple(code.number).map(move |form| (code, form)));
        let known: HashSet<&str> = VOCABULARY.iter().chain(super::CLIENTS).map(|row| row.pattern).collect();
        let all = windows.chain(apple).filter(|(_, form)| !known.contains(form.as_str()));
        let row = |(code, form): (&Code, String)| {
            // Made once in a process, so that a row can stand beside those of the constant tables.
            Row::new(Box::leak(form.into_boxed_str()), code.says, code.name, Basis::Documented)
        };
        all.map(row).collect()
    })
}

fn windows(number: i32) -> [String; 16] {
    // HRESULT_FROM_WIN32.
    let result = 0x8007_0000_u32 | number.unsigned_abs();
    [
        format!("error code {number}|"),
        format!("error code: {number}|"),
        format!("error code={number}|"),
        format!("errorcode={number}|"),
        format!("|error {number}|"),
        format!("|error: {number}|"),
        format!("|error={number}|"),
        format!("({number})"),
        format!("[{number}]"),
        format!("winerror {number}|"),
        format!("os error {number}|"),
        format!("|errno {number}|"),
        format!("wsagetlasterror: {number}|"),
        format!("{result:08x}"),
        format!("{}|", result.cast_signed()),
        format!("windows error {number}|"),
    ]
}

fn apple(number: i32) -> [String; 6] {
    [
        format!("code={number}|"),
        format!("code: {number}|"),
        format!("nsurlerrordomain error {number}|"),
        format!("nsurlerrordomain:{number}|"),
        format!("nsurlerrordomain, {number}|"),
        format!("nsurlerrordomain ({number})"),
    ]
}
