extern "C" [[gnu::visibility("default")]] void weir_boxes(void*) {}
