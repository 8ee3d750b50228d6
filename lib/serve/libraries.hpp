// The functions of libevent, nghttp2, zlib and OpenSSL that serving needs, each under its own name. A table
// loads its library on first use (base/shared_library.hpp).
#pragma once

#include "opcat/base/shared_library.hpp"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <event2/event.h>
#include <nghttp2/nghttp2.h>
#include <zlib.h>

#include <string_view>

namespace opcat::serve {

struct Zlib {
    SharedLibrary library{library::zlib};
    OPCAT_MEMBER(crc32);
    OPCAT_MEMBER(crc32_combine);
    OPCAT_MEMBER(deflate);
    OPCAT_MEMBER(deflateBound);
    OPCAT_MEMBER(deflateEnd);
    OPCAT_MEMBER(deflateInit2_);
    OPCAT_MEMBER(inflate);
    OPCAT_MEMBER(inflateEnd);
    OPCAT_MEMBER(inflateInit2_);
};

// Event loops and buffers.
struct EventCore {
    SharedLibrary library{library::event_core};
    OPCAT_MEMBER(bufferevent_disable);
    OPCAT_MEMBER(bufferevent_enable);
    OPCAT_MEMBER(bufferevent_free);
    OPCAT_MEMBER(bufferevent_get_input);
    OPCAT_MEMBER(bufferevent_get_output);
    OPCAT_MEMBER(bufferevent_getfd);
    OPCAT_MEMBER(bufferevent_set_max_single_write);
    OPCAT_MEMBER(bufferevent_setcb);
    OPCAT_MEMBER(bufferevent_setwatermark);
    OPCAT_MEMBER(bufferevent_socket_new);
    OPCAT_MEMBER(evbuffer_add);
    OPCAT_MEMBER(evbuffer_add_reference);
    OPCAT_MEMBER(evbuffer_drain);
    OPCAT_MEMBER(evbuffer_get_contiguous_space);
    OPCAT_MEMBER(evbuffer_get_length);
    OPCAT_MEMBER(evbuffer_pullup);
    OPCAT_MEMBER(event_add);
    OPCAT_MEMBER(event_base_dispatch);
    OPCAT_MEMBER(event_base_free);
    OPCAT_MEMBER(event_base_loop);
    OPCAT_MEMBER(event_base_loopbreak);
    OPCAT_MEMBER(event_base_new_with_config);
    OPCAT_MEMBER(event_config_free);
    OPCAT_MEMBER(event_config_new);
    OPCAT_MEMBER(event_config_set_flag);
    OPCAT_MEMBER(event_del);
    OPCAT_MEMBER(event_free);
    OPCAT_MEMBER(event_new);
    OPCAT_MEMBER(event_set_log_callback);
};

// Frames, header compression and flow control of HTTP/2.
struct Nghttp2 {
    SharedLibrary library{library::nghttp2};
    OPCAT_MEMBER(nghttp2_option_del);
    OPCAT_MEMBER(nghttp2_option_new);
    OPCAT_MEMBER(nghttp2_option_set_max_outbound_ack);
    OPCAT_MEMBER(nghttp2_option_set_no_closed_streams);
    OPCAT_MEMBER(nghttp2_session_callbacks_del);
    OPCAT_MEMBER(nghttp2_session_callbacks_new);
    OPCAT_MEMBER(nghttp2_session_callbacks_set_data_source_read_length_callback);
    OPCAT_MEMBER(nghttp2_session_callbacks_set_on_begin_headers_callback);
    OPCAT_MEMBER(nghttp2_session_callbacks_set_on_data_chunk_recv_callback);
    OPCAT_MEMBER(nghttp2_session_callbacks_set_on_frame_recv_callback);
    OPCAT_MEMBER(nghttp2_session_callbacks_set_on_header_callback);
    OPCAT_MEMBER(nghttp2_session_callbacks_set_on_invalid_frame_recv_callback);
    OPCAT_MEMBER(nghttp2_session_callbacks_set_on_stream_close_callback);
    OPCAT_MEMBER(nghttp2_session_callbacks_set_send_callback);
    OPCAT_MEMBER(nghttp2_session_callbacks_set_send_data_callback);
    OPCAT_MEMBER(nghttp2_session_client_new);
    OPCAT_MEMBER(nghttp2_session_del);
    OPCAT_MEMBER(nghttp2_session_get_last_proc_stream_id);
    OPCAT_MEMBER(nghttp2_session_mem_recv);
    OPCAT_MEMBER(nghttp2_session_resume_data);
    OPCAT_MEMBER(nghttp2_session_send);
    OPCAT_MEMBER(nghttp2_session_server_new2);
    OPCAT_MEMBER(nghttp2_session_set_local_window_size);
    OPCAT_MEMBER(nghttp2_session_want_read);
    OPCAT_MEMBER(nghttp2_session_want_write);
    OPCAT_MEMBER(nghttp2_submit_goaway);
    OPCAT_MEMBER(nghttp2_submit_ping);
    OPCAT_MEMBER(nghttp2_submit_request);
    OPCAT_MEMBER(nghttp2_submit_response);
    OPCAT_MEMBER(nghttp2_submit_rst_stream);
    OPCAT_MEMBER(nghttp2_submit_settings);
    OPCAT_MEMBER(nghttp2_submit_trailer);
};

// Throw Error if a library is missing.
const Zlib& libz();
const EventCore& libevent();
const Nghttp2& libnghttp2();

// A header of HTTP/2, which refers to its texts.
nghttp2_nv http2_header(std::string_view name, std::string_view value);

} // namespace opcat::serve
