"""curl's options: which take a value, which do not affect a request, and why others are not imported."""

from __future__ import annotations

FORM = ("form", "form-string")
BODY = ("data", "data-ascii", "data-raw", "data-binary", "data-urlencode", "json")


def _words(text: str) -> list[str]:
    return text.split()


def _short_options(text: str) -> dict[str, str]:
    """Options by their letters, of `X=request`."""
    return {pair[0]: pair[2:] for pair in _words(text)}


LETTERS_WITH_VALUE = _short_options(
    "X=request H=header d=data F=form u=user b=cookie c=cookie-jar A=user-agent e=referer m=max-time o=output w=write-out "
    "T=upload-file K=config x=proxy U=proxy-user r=range D=dump-header E=cert C=continue-at y=speed-time Y=speed-limit z=time-cond "
    "P=ftp-port Q=quote t=telnet-option"
)
LETTERS = _short_options(
    "s=silent S=show-error v=verbose i=include f=fail N=no-buffer #=progress-bar g=globoff O=remote-name G=get I=head "
    "L=location k=insecure J=remote-header-name j=junk-session-cookies Z=parallel a=append q=disable 0=http1.0 4=ipv4 6=ipv6 "
    "n=netrc :=next 1=tlsv1 2=sslv2 3=sslv3 B=use-ascii R=remote-time l=list-only p=proxytunnel"
)
WITH_VALUE = {
    *LETTERS_WITH_VALUE.values(),
    *BODY,
    *_words(
        "form-string url oauth2-bearer url-query connect-timeout cacert key retry retry-delay retry-max-time resolve connect-to "
        "interface limit-rate ciphers capath cert-type key-type pass stderr trace trace-ascii rate max-redirs max-filesize "
        "aws-sigv4 proto parallel-max unix-socket keepalive-time noproxy tls-max output-dir expect100-timeout pinnedpubkey "
        "request-target proto-default proto-redir netrc-file preproxy socks4 socks4a socks5 socks5-hostname proxy1.0 proxy-header "
        "proxy-cacert proxy-cert proxy-key local-port dns-servers doh-url happy-eyeballs-timeout-ms curves tls13-ciphers crlfile "
        "etag-compare etag-save hsts alt-svc libcurl abstract-unix-socket service-name delegation login-options create-file-mode "
        "trace-config ip-tos vlan-priority variable"
    ),
}
KNOWN = {
    *WITH_VALUE,
    *LETTERS.values(),
    *_words(
        "digest basic anyauth ntlm negotiate compressed http1.1 http2 http2-prior-knowledge http3 fail-with-body fail-early "
        "no-progress-meter no-keepalive path-as-is create-dirs location-trusted tcp-nodelay no-sessionid tlsv1.2 tlsv1.3 "
        "retry-connrefused retry-all-errors raw styled-output no-styled-output tr-encoding next http3-only http0.9 tlsv1.0 tlsv1.1 "
        "ssl ssl-reqd ssl-no-revoke ssl-allow-beast ssl-revoke-best-effort ssl-auto-client-cert cert-status proxy-insecure "
        "proxy-basic proxy-digest proxy-anyauth post301 post302 post303 netrc-optional trace-time trace-ids tcp-fastopen "
        "false-start alpn no-alpn npn no-npn suppress-connect-headers remote-name-all remove-on-error no-clobber xattr crlf "
        "form-escape ignore-content-length disallow-username-in-url ntlm-wb parallel-immediate sessionid buffer "
        "keepalive progress-meter show-headers skip-existing metalink ca-native mptcp"
    ),
}
# Options that only concern the answer, or that every load has anyway.
QUIET = {
    *_words(
        "silent show-error verbose include fail fail-with-body no-buffer progress-bar globoff output remote-name write-out "
        "remote-header-name dump-header stderr no-progress-meter create-dirs output-dir http1.1 basic url trace trace-ascii "
        "path-as-is fail-early styled-output no-styled-output tcp-nodelay next parallel parallel-max disable remote-name-all xattr "
        "remote-time no-clobber remove-on-error etag-save libcurl trace-time trace-ids create-file-mode suppress-connect-headers "
        "use-ascii crlf no-sessionid ignore-content-length show-headers skip-existing parallel-immediate buffer progress-meter"
    )
}
TAKEN = {
    *BODY,
    *FORM,
    *_words(
        "request header user get head user-agent referer oauth2-bearer digest cookie url-query range request-target"
    ),
}
REFUSED = {
    "upload-file": "it uploads a file; write it as --data-binary @FILE",
    "config": "its options are in another file",
    "aws-sigv4": "it signs each request, which `load` does not support",
    "ntlm": "`load` does not support NTLM",
    "ntlm-wb": "`load` does not support NTLM",
    "negotiate": "it gets its credentials from another server",
    "form-escape": "it quotes the names of its form in a way of its own",
    "variable": "its variables are filled in by curl: write their values",
    "netrc": "its credentials are in another file",
}
_REDIRECTS = "`steelyard load --follow-redirects` follows redirects"
_HTTP_2 = "`steelyard load --http2` uses HTTP/2"
WHY_LEFT = {
    "location": _REDIRECTS,
    "location-trusted": _REDIRECTS,
    "compressed": "`steelyard load --gzip` accepts compressed answers",
    "insecure": "`steelyard load --insecure` accepts any certificate, as `verify = false` under [tls] of service.toml does",
    "cacert": "set `ca` under [tls] of service.toml",
    "cert": "set `certificate` under [tls] of service.toml",
    "key": "set `key` under [tls] of service.toml",
    "resolve": "`steelyard load --resolve` gives a host its address",
    "max-time": "`steelyard load --timeout` limits the response time",
    "connect-to": "`steelyard load --resolve` gives a host its address",
    "http2": _HTTP_2,
    "http2-prior-knowledge": _HTTP_2,
    "no-keepalive": "`steelyard load --new-connection` opens a connection for each request",
    "cookie-jar": "users keep cookies in sessions only",
}
