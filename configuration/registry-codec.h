// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/codec.h"
#include "common/registry.h"

#include <string>

namespace nadi
{

/// The name of a registered component.
template <class Base>
Codec<std::string>
MakeRegistryCodec()
{
    return MakeWordCodec(Registry<Base>::Instance().Names());
}

} // namespace nadi
