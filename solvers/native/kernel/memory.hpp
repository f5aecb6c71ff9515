#pragma once
namespace mines { class Memory {}; }
