import '../tools/generate.ts';
