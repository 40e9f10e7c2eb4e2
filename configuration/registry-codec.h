// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/registry.h"
#include "configuration/codec.h"

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
