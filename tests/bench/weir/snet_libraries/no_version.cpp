extern "C" void weir_boxes(void*) {}
