// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/check.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/message_lite.h>

#include <cstdint>

namespace nadi
{

/// Appends a frame of a trace file: the length of the message as a varint, and the message.
inline void
WriteFrame(google::protobuf::io::CodedOutputStream& stream,
           const google::protobuf::MessageLite& message)
{
    stream.WriteVarint32(static_cast<uint32_t>(message.ByteSizeLong()));
    NADI_CHECK(message.SerializeToCodedStream(&stream));
}

} // namespace nadi
